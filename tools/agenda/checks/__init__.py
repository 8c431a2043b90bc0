"""What becomes of a command before it is carried out: what is put right, what is asked about, and what is held back.

`tools.py` gives the loop a function for each hook. In the order in which the loop calls them:

| hook        | calls                                  | which                                                         |
| ----------- | -------------------------------------- | ------------------------------------------------------------- |
| `context`   | `known_entries` in `known.py`          | tells the model of the entries that a request may mean        |
| `meant_for` | `first_command` in `../line.py`        | gives the first of several commands in one call               |
|             | `undone` in `meant/undone.py`          | gives the opposite of the last change, for "undo that"        |
|             | `list_of` in `put_right/lenient.py`    | finds the list that is meant, and the order and entry         |
|             | `with_a_change` in `meant/emptied.py`  | gives a change that changes nothing what the user says        |
|             | `in_own_words` in                      | gives a new entry the user's words in place of another's      |
|             | `meant/borrowed.py`                    |                                                               |
|             | `of_the_latest` in `meant/latest.py`   | gives a correction that names no entry the one changed last   |
|             | `in_bulk` in `meant/bulk.py`           | gives "everything" all the entries that are meant             |
|             | `as_named` in `meant/misnamed.py`      | gives the entry whose name the user puts right that name      |
| `as_told`   | `as_it_lasts` in                       | gives an appointment that is there its length or end, or else |
|             | `put_right/lasting.py`, `as_told`      | puts a command right by the user's words                      |
|             | in `put_right/as_told.py`              |                                                               |
|             | `as_it_follows` in `meant/followed.py` | gives what follows an appointment the end of that one         |
| `required`  | `elsewhere` in                         | holds a command back, or asks                                 |
|             | `held_back/elsewhere.py`,              |                                                               |
|             | `missing_of` in `needs.py`             |                                                               |
| `grounded`, | `changed` in `put_right/lenient.py`    | says what a command writes, if it changes anything            |
| `effects`   |                                        |                                                               |
| the call    | `put_right` in                         | carries a command out as it is meant; `whole_list` makes one  |
|             | `put_right/lenient.py`                 | that lists of one whose filter cannot be read                 |

`as_told`, `required` and `meant_for` are given only that part of a request which is about the entry (`scope.py`).

| folder         | what becomes of a command         | files                                                         |
| -------------- | --------------------------------- | ------------------------------------------------------------- |
| `meant/`       | another one takes its place       | see above                                                     |
| `put_right/`   | it is put right without a word    | how models write: `lenient.py`; another entry or list:        |
|                |                                   | `named.py`, `deadlines.py`, `lists.py`; by the user's words:  |
|                |                                   | `as_told.py`, with its moment (`moments.py`), length and end  |
|                |                                   | (`spans.py`), text (`worded.py`), place (`places.py`) and     |
|                |                                   | priority (`urgency.py`); an appointment that is there:        |
|                |                                   | `lasting.py`                                                  |
| `asked_about/` | the user is asked                 | what a new entry is: `unnamed.py`, `unfinished.py`; its time, |
|                |                                   | and that to which one is moved: `times.py`; a day left open:  |
|                |                                   | `days.py`; a time that cannot be: `impossible.py`,            |
|                |                                   | `backwards.py`; another name: `renamed.py`; which entry:      |
|                |                                   | `which.py`; which an answer means: `choice.py`, by what it    |
|                |                                   | says of each (`what_stays.py`); what it settles: `answers.py` |
| `held_back/`   | the model is told what speaks     | orders that change something: `added.py`, `edited.py` and     |
|                | against it; if it insists, the    | `removed.py`, with `there_already.py` for what is added once  |
|                | user is asked                     | more, `corrected.py` for corrections, `name_parts.py` for     |
|                |                                   | names and places of which a part is put right, `unsaid.py`    |
|                |                                   | for entries that are not there, and `elsewhere.py` for        |
|                |                                   | requests that are about none; those that only read: `reads.py`|
| `said/`        | nothing                           | reads the user's words: clauses, news, questions, slips, and  |
|                |                                   | what "it" points at; `words.py` has what several look for     |

A check is given the `agenda` with its entries; the `kind` of the list, todos or appointments; the `command` as the
model wrote it, or its `order`, such as "add", and the `details` that follow it; and what is known (`told`). Its
`agreed` makes the command from the answer of a user who agrees to it.

`entries.py` has the entries that a command may mean, which of them words name, and texts about one; `rivals.py`, which
of them the user's words fit as well as the one that a command names. `../line.py` and `../request.py` take a command
apart, and `tools/dates/told.py` gives the days, the moments and the lengths of the user's words.
"""
