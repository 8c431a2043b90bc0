"""The checks of a plan and of a thought before it is carried out: its grounds, what is missing, what it claims.

What a check finds has one word, by which an edge leads to a node:

| word         | node      | event in the trace               | what goes back to the model                        |
| ------------ | --------- | -------------------------------- | -------------------------------------------------- |
| `incomplete` | `require` | a failed observation of the call | a call that lacks something, or the user is asked  |
| `ungrounded` | `ground`  | a failed observation of the call | a call that states what nobody gave; the second    |
|              |           |                                  | time in a step the user is asked                   |
| `unfounded`  | `effect`  | a failed verdict                 | an answer, a plan or a question that nothing       |
|              |           |                                  | supports; once in a step                           |
| `unsure`     | `confirm` | none: the question's answer is   | nothing: the user is asked whether the calls are   |
|              |           | an observation of `ask_user`     | meant                                              |

The first three words are also the counter of the step in the state, the kind of `happening` of which `guidance` tells
the model, the `kind_of_failure` of the observation, and the `kind` of the verdict. A call that only repeats itself is
no matter of these checks, but of `guards.py` and the node `observe`.

The other files have no node: `calls/` has what is looked for in a call; `draft.py` corrects a plan, with `covered.py`
for the wishes that it leaves out, and `planned/` for how they are read; `answer.py` and `claims.py` read what is said
to the user; `questions.py` has what the nodes ask the user, and `another.py` reads what the user answers. `clauses.py`
has what several of them look for in the user's words.
"""
