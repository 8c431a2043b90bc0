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

Which checks a reply meets, in this order; the first that finds something decides. What went back to the model is in
`prompts/texts.py`, under a key by which its check is found.

| reply              | checks                                                  | listed in                             |
| ------------------ | ------------------------------------------------------- | ------------------------------------- |
| any                | its form; each call put as the user means it            | `plans/payloads.py`, `as_user_told`   |
| a plan             | an answer in its place; its call; its steps; its order  | `plan` and `validate_plan`            |
| a call             | `incomplete`, `ungrounded`, a repeat, `unsure`          | `_call_route` in the edges            |
| a question         | put before; the user's own; one that asks nothing       | `_question_update` in `thought`       |
| a step called done | its claims, a missing call, a call in vain, an entry    | `_done_update` in `thought`           |
|                    | passed over, an order or a wish without a call          |                                       |
| the last words     | made up, or claims without a call                       | `_is_unsupported` in `finalize`       |

The other files have no node: `calls/` has what is looked for in a call; `draft.py` corrects a plan, with `covered.py`
for the wishes that it leaves out, and `planned/` for how they are read; `answer.py` and `claims.py` read what is said
to the user; `questions.py` has what the nodes ask the user, and `another.py` reads what the user answers. `clauses.py`
has what several of them look for in the user's words.
"""
