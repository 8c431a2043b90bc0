"""What becomes of a command before it is carried out: what is put right, what is asked about, and what is held back.

`tools.py` gives the loop a function for each hook. In the order in which the loop calls them:

| hook                  | what it does with a command             | where it is listed what it asks, in order     |
| --------------------- | --------------------------------------- | --------------------------------------------- |
| `context`             | none yet: entries that may be meant     | `known_entries` in `known.py`                 |
| `meant_for`           | puts another one in its place           | `meant_for` in `tools.py`                     |
| `as_told`             | puts it right by the user's words       | `told_so` in `tools.py`, `as_told` in         |
|                       |                                         | `put_right/as_told.py`                        |
| `required`            | holds it back, or asks                  | `rules.py`                                    |
| `grounded`, `effects` | says what it writes, if anything        | `changed` in `put_right/lenient.py`           |
| the call              | carries it out as it is meant           | `put_right` in `put_right/lenient.py`         |

Who has a call in hand that was refused finds the rule in three steps: the key of its words in `texts.py`; the function
that has this key, by a search; and its row in `rules.py`, below the rules that were asked before. Hooks that read the
user's words mostly read that part of them which is about the entry (`scope.py`).

| folder         | what becomes of a command         | files                                                         |
| -------------- | --------------------------------- | ------------------------------------------------------------- |
| `meant/`       | another one takes its place       | as `meant_for` lists them                                     |
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

A rule is given a `Command` (`command.py`): what the model wrote, and what is known.

`entries.py` has the entries that a command may mean, which of them words name, and texts about one; `rivals.py`, which
of them the user's words fit as well as the one that a command names. `../line.py` and `../request.py` take a command
apart, and `tools/dates/told.py` gives the days, the moments and the lengths of the user's words.
"""
