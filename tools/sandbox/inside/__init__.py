"""What runs inside the sandbox, under a bare interpreter: no module of ours but these, and little of the library.

`supervisor` starts the others. `candidate` loads the code of the model, `server` calls it, `judge` runs the tests, and
`mirror` carries values between the two. Every import here is paid for by each sandbox, so there are few: `typing` alone
would take longer to import than a verdict takes, so each module sets `TYPE_CHECKING` to False by hand.
"""
