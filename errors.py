"""Every error of the library; they share one root, `ThoughtGraphError`.

Errors that another try with the same input cannot fix are also `ValueError`s. LangGraph's default `RetryPolicy` does
not retry those, so a node does not send the same prompt again.

One file because a caller looks for them in one place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from ._internal.numbers import shown_number
from ._internal.redact import line_of, redacted

SearchErrorKind = Literal["timeout", "network", "refused", "parse", "empty"]
CheckpointErrorKind = Literal["full", "read_only", "locked", "damaged", "unreachable", "other"]


def _restored(kind: type[ThoughtGraphError], args: tuple[Any, ...], data: Mapping[str, Any]) -> ThoughtGraphError:
    error = kind.__new__(kind, *args)
    error.args = args
    vars(error).update(data)
    return error


def _clause(said: str) -> str:
    """Someone else's words as part of a sentence that another sentence follows."""
    return redacted(said).rstrip(" .\n")


class ThoughtGraphError(Exception):
    """Root of every error this library raises on purpose; it can be sent to another process with its data."""

    def __reduce__(self) -> tuple[Any, ...]:
        # `Exception` would call the class with the message alone, and most classes take more.
        return _restored, (type(self), self.args, vars(self))


class ParseFailedError(ThoughtGraphError, ValueError):
    """No reply of the model passed its parser within the allowed attempts.

    Attributes:
        raw_replies: every reply exactly as the model sent it, oldest first.
        feedbacks: the parser's feedback on each of them.
        attempts: how many replies were requested.
        usage: tokens summed over all attempts (`input_tokens`, `output_tokens`, `total_tokens`, `cached_tokens`).
    """

    def __init__(
        self, parser: str, raw_replies: Sequence[str], feedbacks: Sequence[str], usage: Mapping[str, Any]
    ) -> None:
        self.parser = parser
        self.raw_replies = list(raw_replies)
        self.feedbacks = list(feedbacks)
        self.attempts = len(self.raw_replies)
        self.usage = dict(usage)
        last = (self.feedbacks[-1] if self.feedbacks else "none").rstrip(" .")
        super().__init__(
            f"{parser} accepted none of {self.attempts} replies; its last feedback: {last}. "
            "Read `raw_replies` to see what came, then show an example of the format in the prompt, "
            "loosen the parser, or allow more attempts."
        )


_A_PARSER = 'A parser returns {"status": "success", "content": ...} or {"status": "error", "feedback": "..."}.'


class ParserContractError(ThoughtGraphError, ValueError):
    """A parser cannot be called with its arguments, raised, or returned something that is not a parse result.

    The first is raised before the model is asked, as far as it can be known.

    Attributes:
        parser: the parser's name.
        raw_reply: the reply it was given; "" if none was asked for.
        usage: tokens of all replies up to this one; empty if none was asked for.
    """

    def __init__(self, parser: str, problem: str, raw_reply: str, advice: str = _A_PARSER) -> None:
        self.parser = parser
        self.raw_reply = raw_reply
        self.usage: dict[str, Any] = {}
        super().__init__(f"parser {parser} {_clause(problem)}. {advice}")


_A_RESULT = "Return the result itself: only the loop changes its state."


class ToolContractError(ThoughtGraphError, ValueError):
    """A tool, or a function in its `metadata`, returned what the loop cannot use, or needs what the graph lacks.

    It is a mistake in the program, so the model is not told about it.

    Attributes:
        tool: the tool's name.
        key: the key in `tool.metadata` whose function raised or returned something wrong; `"completed"` for that of a
            `Missing`; `"interrupt_on"` for the description of a call; "" if it is the tool itself.
        problem: what it raised, returned or needs.
    """

    def __init__(self, tool: str, problem: str, key: str = "", advice: str = _A_RESULT) -> None:
        self.tool = tool
        self.key = key
        self.problem = redacted(problem)
        said = f"the tool {tool!r} {problem}. {advice}"
        if key:
            said = (
                f"the function in `{key}` of the tool {tool!r} {self.problem}. Fix it, then invoke the graph "
                "with None: a run with a checkpointer resumes where it stopped."
            )
        super().__init__(said)


class TruncatedError(ThoughtGraphError, ValueError):
    """The reply hit the output cap; the raised cap was hit too, or the provider refused it.

    Attributes:
        raw_reply: the cut-off reply.
        max_tokens: the raised cap that was still too small, or was refused; None if the model's class takes no cap.
        usage: tokens of both calls.
        refusal: what the provider said against the raised cap, without secrets; "" if it accepted the cap.
        raw_replies: the earlier replies, which were refused.
        feedbacks: the parser's feedback on each of them.
    """

    def __init__(
        self,
        raw_reply: str,
        max_tokens: int | None,
        usage: Mapping[str, Any],
        refusal: BaseException | None = None,
    ) -> None:
        self.raw_reply = raw_reply
        self.max_tokens = max_tokens
        self.usage = dict(usage)
        self.raw_replies: list[str] = []
        self.feedbacks: list[str] = []
        said: object = getattr(refusal, "said", refusal)
        self.refusal = redacted(str(said))[:300] if refusal else ""
        where = "twice, and the model's class takes no output cap"
        what_to_do = "Raise the model's `max_tokens`, or ask for less in one reply."
        if refusal:
            where = f"and the provider refused a cap of {max_tokens} output tokens ({self.refusal})"
            what_to_do = "Ask for less in one reply, or use a model that may write more."
        elif max_tokens is not None:
            where = f"at {max_tokens} output tokens, the second and larger cap"
        super().__init__(f"the reply was cut off {where}. {what_to_do}")


class ScriptExhaustedError(ThoughtGraphError, AssertionError):
    """A scripted model was called more often than its script has replies; in a test, a failed assertion.

    Attributes:
        scripted: how many replies the script has; None if the model does not say, as LangChain's fake ones.
    """

    def __init__(self, scripted: int | None, model: str = "ScriptedModel") -> None:
        self.scripted = scripted
        if scripted is None:
            super().__init__(
                f"{model} raised StopIteration, as a fake model does that has no reply left. Give it a reply for each "
                "call, or use ScriptedModel of thoughtgraph.models, which keeps the requests."
            )
        else:
            super().__init__(
                f"the script is exhausted: call {scripted + 1} of {scripted} scripted. Add a reply, or look into the "
                "model's `requests` to see why it was called again."
            )


class ModelUnavailableError(ThoughtGraphError, ConnectionError):
    """The model's server could not be reached, or refused every attempt of the back-off.

    Attributes:
        attempts: how many calls were made.
        partial: text that a stream delivered before it broke, or the reply that the output cap had cut off before this
            call; "" if none.
        retry_after: seconds to wait before the next call, as the server's last answer says; None if it did not say.
        usage: tokens of the earlier replies, if this call was a retry; otherwise empty.
        raw_replies: those earlier replies, which the parser refused.
        feedbacks: the parser's feedback on each of them.
    """

    def __init__(
        self, cause: BaseException, attempts: int, partial: str = "", retry_after: float | None = None
    ) -> None:
        self.attempts = attempts
        self.partial = partial
        self.retry_after = retry_after
        self.usage: dict[str, Any] = {}
        self.raw_replies: list[str] = []
        self.feedbacks: list[str] = []
        super().__init__(
            f"no answer from the model after {attempts} call(s): {_clause(redacted(line_of(cause))[:300])}. "
            "Check that the server runs and its limits allow the call, then run again"
            f"{f', not before {retry_after:,.0f} seconds have passed' if retry_after else ''}."
        )


class RequestTooLongError(ThoughtGraphError, ValueError):
    """A request is longer than its model takes; it was not sent again.

    Attributes:
        said: the server's words, without secrets.
        usage: tokens of the earlier replies, if this call was a retry; otherwise empty.
        raw_replies: those earlier replies, which the parser refused.
        feedbacks: the parser's feedback on each of them.
    """

    OPENING = "the request is longer than the model takes"

    def __init__(self, said: str) -> None:
        self.said = _clause(redacted(said)[:300])
        self.usage: dict[str, Any] = {}
        self.raw_replies: list[str] = []
        self.feedbacks: list[str] = []
        super().__init__(
            f"{self.OPENING}: {self.said}. Send less, or use a model with more context; a plan-act "
            "loop sends less with a lower `context_tokens`."
        )


class RedirectRefusedError(ThoughtGraphError):
    """A server redirected a request to another origin (scheme, host or port); neither prompt nor key was sent there.

    Attributes:
        url: the requested address, without secrets.
        location: the redirect's target, without secrets.
    """

    def __init__(self, url: str, location: str) -> None:
        self.url = redacted(url)
        self.location = redacted(location[:1_000])
        super().__init__(
            f"{self.url} redirects to {self.location}, which is another origin, so prompt and key are not sent there. "
            "If you trust it, use that address instead."
        )


class VerifierContractError(ThoughtGraphError, ValueError):
    """What was given is not a verifier or scorer, or a verifier returned something that is not a valid `Verdict`.

    The first is raised when the graph is built. The second includes a `Verdict` with an unknown status, feedback that
    is not text, or a score outside 0 to 1.

    Attributes:
        verifier: its name; if it is not a verifier, what was given instead.
        role: `"verifier"`, or `"scorer"` for one of an evaluation.
    """

    def __init__(self, verifier: str, problem: str, role: str = "verifier") -> None:
        self.verifier = verifier
        self.role = role
        returns = 'Verdict("passed"), Verdict("failed", feedback="...") or Verdict("unverified"), or True or False'
        if role == "scorer":
            returns = "a Verdict, True or False, or a number from 0 to 1"
        super().__init__(
            f"{role} {verifier} {_clause(problem)}. A {role} is called with (task, answer) and returns {returns}."
        )


class UnsafeFileNameError(ThoughtGraphError, ValueError):
    """A file name from a model was refused; nothing was written.

    Attributes:
        file_name: the name as the model gave it.
    """

    def __init__(self, file_name: str, reason: str) -> None:
        self.file_name = file_name
        super().__init__(f"refused to write {file_name[:120]!r}: {reason}. Only a bare file name is accepted.")


class GraphShapeError(ThoughtGraphError, ValueError):
    """A graph has a node that cannot be reached, or a node that cannot reach the end."""


class ModelSetupError(ThoughtGraphError, ValueError):
    """A model could not be chosen, fetched, verified or started."""

    def __init__(self, problem: str) -> None:
        super().__init__(redacted(problem))


class RunFileError(ThoughtGraphError, ValueError):
    """A saved run could not be read, or a batch's runs and results cannot be kept in their folder."""


class NotKeptError(RunFileError):
    """A batch's folder cannot be written to, so the batch ended: further results would be paid for and lost.

    Args:
        place: the file or folder that cannot be written.
        problem: why.
    """

    def __init__(self, place: Path | str, problem: object) -> None:
        super().__init__(f"cannot save to {place}: {problem}. Fix that and call this again: what was saved is kept")


class CommandError(ThoughtGraphError, ValueError):
    """A slash command failed; nothing was changed.

    Attributes:
        command: the line as the user typed it.
        problem: what is wrong; the message may add how the command is written.
    """

    def __init__(self, command: str, problem: str, message: str = "") -> None:
        self.command = command
        self.problem = problem
        super().__init__(message or problem)


class SearchError(ThoughtGraphError):
    """A search gave no results.

    Attributes:
        kind: `"timeout"`, `"network"` (no connection, or an error status), `"refused"` (a forbidden address),
            `"parse"` (the answer is not a result page) or `"empty"`.
        provider: the search provider.
        query: the search query.
    """

    def __init__(self, kind: SearchErrorKind, provider: str, query: str, problem: str) -> None:
        self.kind: SearchErrorKind = kind
        self.provider = provider
        self.query = query
        super().__init__(f"{provider} search failed ({kind}): {redacted(problem)}")


class MissingCheckpointerError(ThoughtGraphError, ValueError):
    """A graph that can pause for a question has no checkpointer: nothing would save the run during the pause.

    It is raised when such a graph is built; with a `HumanVerifier`, when it is invoked; otherwise when it asks, inside
    another graph or from a tool or a verifier of yours.
    """

    def __init__(self, instead: str) -> None:
        super().__init__(
            "this graph may ask the user, and a pause needs a checkpointer: pass checkpointer=InMemorySaver() or a "
            f"SqliteSaver, or True inside of a graph that has one, or {instead}."
        )


class CheckpointError(ThoughtGraphError):
    """Checkpoints cannot be read or written; earlier commits are still there.

    Attributes:
        where: the file, or the database without its password.
        kind: why, in one word.
        thread_id: the run's thread; "" if the error is not about a run.
        readable: if a checkpoint is damaged, the newest earlier one that can be read; None if there is none.
    """

    def __init__(
        self, where: str, kind: CheckpointErrorKind, problem: str, thread_id: str = "", readable: str | None = None
    ) -> None:
        self.where = where
        self.kind: CheckpointErrorKind = kind
        self.thread_id = thread_id
        self.readable = readable
        what = f" of thread {thread_id!r}" if thread_id else ""
        advice = _CHECKPOINT_ADVICE[kind].format(readable=readable)
        super().__init__(redacted(f"checkpoints{what} in {where}: {_clause(problem)}. {advice}"))


_CHECKPOINT_ADVICE: dict[CheckpointErrorKind, str] = {
    "full": "Make room, then invoke the graph with None: the run resumes after its last committed step.",
    "read_only": "Give this process the right to write the file and its folder, or open another file.",
    "locked": "Another process has it locked: end that process, or wait, then invoke the graph with None.",
    "damaged": (
        "Keep a copy of it. The newest checkpoint that can be read is {readable}: a run resumes from there with "
        '`{{"configurable": {{"thread_id": …, "checkpoint_id": …}}}}`. None means that there is no such checkpoint.'
    ),
    "unreachable": "Start the server or correct the address, then invoke the graph with None.",
    "other": "Fix the cause, then invoke the graph with None: the run resumes after its last committed step.",
}


class ThreadConflictError(ThoughtGraphError):
    """Two runs wrote to one thread at the same time; this one stops, and the other's checkpoints are intact.

    Attributes:
        thread_id: the thread.
        expected: the checkpoint that this run continued from; None for the first.
        found: the thread's newest checkpoint, written by another run; None if the thread was deleted.
    """

    def __init__(self, thread_id: str, expected: str | None, found: str | None) -> None:
        self.thread_id = thread_id
        self.expected = expected
        self.found = found
        happened = "was deleted" if found is None else "was continued by another run"
        super().__init__(
            f"thread {thread_id!r} {happened} while this run was under way, so nothing more of this run is kept. "
            "The other run's checkpoints are intact. Give each run a thread of its own, or read the thread with "
            "`get_state` and resume it with None. If that was a run of your own that you had just canceled, its last "
            'write came late: resuming again works, and `durability="sync"` avoids it.'
        )


class SharedThreadError(ThoughtGraphError):
    """A graph with `checkpointer=True` was called twice in one step of another graph; this call started nothing.

    Attributes:
        thread_id: the outer graph's thread.
        graph: the name of the graph that was called.
    """

    def __init__(self, thread_id: str, graph: str) -> None:
        self.thread_id = thread_id
        self.graph = graph
        super().__init__(
            f"the graph {graph!r} already has a run in the same place of thread {thread_id!r}. With checkpointer=True "
            "a graph has only one thread inside another graph, so several calls in one step (by Send, or by tool "
            "calls of one message) would continue each other's run. Call "
            'graph.copy({"checkpointer": None}) instead, which starts a new run with every call, or give each call a '
            "node of its own."
        )


class ThreadKindError(ThoughtGraphError, ValueError):
    """A thread holds the run of another kind of graph; nothing was changed.

    Attributes:
        thread_id: the thread; "" if it has no name.
        found: the kind, or the reflection mode, whose run it holds.
        expected: the kind or mode of the graph that was invoked.
    """

    def __init__(self, thread_id: str, found: str, expected: str) -> None:
        self.thread_id = thread_id
        self.found = found
        self.expected = expected
        super().__init__(
            f"thread {thread_id!r} holds a run of the kind {found}; a graph of the kind {expected} cannot continue it. "
            f"Invoke this graph with another `thread_id`, or resume the run with a graph of the kind {found}."
        )


class ThreadStateError(ThoughtGraphError, ValueError):
    """A run cannot continue from what its thread holds, after the state or the graph was changed from outside.

    Attributes:
        thread_id: the thread; "" if it has no name.
        node: the node that was to run next, or whose edge was to be followed.
        problem: what does not fit.
    """

    def __init__(self, thread_id: str, node: str, problem: str) -> None:
        self.thread_id = thread_id
        self.node = node
        self.problem = problem
        run = f"thread {thread_id!r}" if thread_id else "the run"
        kept = "Correct it with `update_state`, resume from an earlier checkpoint of `get_state_history`, or begin"
        super().__init__(
            f"{run} cannot continue with {node}: {problem}. {kept if thread_id else 'Begin'} a new run with new input."
        )


class MemoryStoreError(ThoughtGraphError):
    """A memory's store could not be opened, read or written."""

    def __init__(self, what: str, error: Exception) -> None:
        super().__init__(
            f"cannot {what} the memory of failures: {_clause(redacted(line_of(error))[:300])}. "
            "Check that its store can be reached and written, or run without a memory."
        )


class DatasetError(ThoughtGraphError, ValueError):
    """A dataset cannot be read; the message names the line and the field, and says what to do.

    Attributes:
        source: the file's path; `"tasks"` for rows in memory.
        line: the line of the file, or the number of the row, from 1; None if the error is not about one.
        field: the field of the row; "" if the error is not about one.
    """

    def __init__(self, problem: str, source: str = "", line: int | None = None, field: str = "") -> None:
        self.source = source
        self.line = line
        self.field = field
        super().__init__(problem)


class BackendError(ThoughtGraphError, ValueError):
    """A batch cannot run on its backend; the message says what cannot be sent, or which process failed, and why.

    Attributes:
        what: `"model"`, `"critic"`, `"verifier"`, `"scorer"`, `"memory"`, `"condition"`, `"worker"` or `"backend"`.
    """

    def __init__(self, what: str, problem: str) -> None:
        self.what = what
        super().__init__(redacted(problem))


class PlotError(ThoughtGraphError, ValueError):
    """A figure cannot be drawn: an unknown format, or matplotlib is not installed."""


class FetchError(ThoughtGraphError):
    """A page could not be fetched.

    Attributes:
        kind: why, with the same values as in `SearchError`: `"timeout"`, `"network"`, `"refused"` or `"parse"` (not
            HTML).
    """

    def __init__(self, kind: SearchErrorKind, problem: str) -> None:
        self.kind: SearchErrorKind = kind
        super().__init__(problem)


class MissingLibraryError(ThoughtGraphError, ImportError):
    """An optional library is not installed, or its version does not fit; the message names the extra."""


class SearchQueryError(ThoughtGraphError, ValueError):
    """A query is blank or too long; no search was made."""


class RunLimitError(ThoughtGraphError):
    """A middleware with `exit_behavior="error"` ended an agent's run.

    Attributes:
        kind: the kind of limit, as in a stop reason: `"duplicate_tool_calls"`, `"loop_pattern"`, `"error_rate"`,
            `"max_iterations"`, `"token_budget"` or `"time_budget"`.
        value: the value that reached the limit.
        limit: the limit.
    """

    def __init__(self, kind: str, value: float | str, limit: float | None) -> None:
        self.kind = kind
        self.value = value
        self.limit = limit
        met, most = (shown_number(part) if isinstance(part, float) else part for part in (value, limit))
        super().__init__(f"the run met its limit {kind}: {met} of {most}; raise it, or use exit_behavior='end'")
