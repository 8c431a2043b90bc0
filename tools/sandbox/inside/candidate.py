"""Loads the code of the model, and tells what it raises."""

from __future__ import annotations
import __future__ as futures

import _ast
import opcode
import os
import signal
import sys
from _frozen_importlib import ModuleSpec  # pyright: ignore[reportMissingImports, reportMissingModuleSource, reportUnknownVariableType]
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType

from .children import Spawning
from .decoys import without_middle
from .findings.groups import first_of
from .findings.kept import keep
from .wire import flush

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FILE = "solution.py"
RESERVE = 1 << 23
"""Bytes to let go of where memory runs out, so that it can be said."""
_DEFINITIONS = (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef, _ast.Import, _ast.ImportFrom)
_DEMOS = frozenset({"print", "pprint"})
"""A call of one of these, as a statement, only shows something."""


class _Overdue(BaseException):
    """A statement of the candidate's set-up took too long."""


class _Source:
    """Finds and loads the candidate, whose text lies in no file; gives `inspect.getsource` that text."""

    def __init__(self, code: str, name: str, seconds: float, loaded: Callable[[Any], object]) -> None:
        self._code, self._name, self._seconds, self._left, self._loaded = code, name, seconds, seconds, loaded

    def get_source(self, name: str) -> str:
        return self._code

    def get_code(self, name: str) -> CodeType:
        """All of the code, as `runpy.run_module` runs it: as a program, where nothing is left out."""
        return compile(self._code, FILE, "exec", dont_inherit=True)

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        loader: Any = self
        return ModuleSpec(name, loader, origin=FILE) if name == self._name else None

    def create_module(self, spec: object) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Execute a candidate, and tell of it, or of what it raised."""
        restore = keep(self._code)
        try:
            self._execute(module)
        except BaseException as error:
            self._loaded(error)
            raise
        restore()
        self._loaded(module)

    def _execute(self, module: ModuleType) -> None:
        """Execute a candidate statement by statement.

        Imports, functions and classes have to load. Whatever else stands at the top is set-up: it is run, for so many
        seconds in all, and may fail without consequence, because models add demos that need an input or go wrong.
        Prints and asserts alone are left out, unless they may change the module, or the tests catch what is printed.

        Raises:
            TimeoutError: the seconds were over before a statement that functions, or tests, need.
        """
        module.__file__ = FILE
        tree: Any = compile(self._code, FILE, "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
        flags = 0
        for statement in tree.body:
            if isinstance(statement, _ast.ImportFrom) and statement.module == "__future__":
                for alias in statement.names:
                    flags |= getattr(getattr(futures, alias.name, None), "compiler_flag", 0)
        read = global_reads(self._code)
        functions = {each.name for each in tree.body if isinstance(each, _DEFINITIONS[:3])}

        def compiled(statement: Any) -> CodeType:
            return compile(_ast.Module([statement], []), FILE, "exec", flags, dont_inherit=True)

        state, watched = _State(tree.body, compiled), _is_watched()
        for statement in tree.body:
            is_bare = isinstance(statement, _ast.Expr) and isinstance(statement.value, _ast.Constant)
            if is_bare and statement is not tree.body[0]:
                # Compiled by itself, a text would become the module's docstring.
                continue
            piece = compiled(statement)
            if not watched and _is_demo(statement) and not state.may_change(piece, module.__dict__):
                continue
            if _defines(statement):
                exec(piece, module.__dict__)  # noqa: S102 - the sandbox's whole purpose
                continue
            if self._left > 0:
                self._left, failed = _set_up(piece, module.__dict__, self._left)
                if failed:
                    bound = (piece.co_names[place] for place in _arguments(piece, "STORE_NAME"))
                    unbound = [name for name in bound if name not in module.__dict__]
                    _UNBOUND.update(dict.fromkeys(unbound, describe(failed, self._code)))
            # What functions read, and constants: without them, errors would be untrue. Of a demo, nothing is read.
            needed = [name for name in {*piece.co_names} - functions if name in read or name.isupper()]
            if self._left <= 0 and not isinstance(statement, _ast.Expr) and needed:
                raise TimeoutError(
                    f"what stands at the top of the code took more than {self._seconds:g} seconds; move slow work into "
                    "functions"
                )


def offer(code: str, name: str, seconds: float, loaded: Callable[[Any], object]) -> None:
    """Have a candidate ready to be imported, without arguments; `loaded` is told of the module, or what it raised."""
    sys.argv = [FILE]
    # The depth that a script of its own would have.
    sys.setrecursionlimit(sys.getrecursionlimit() + _depth())
    sys.meta_path.insert(0, Spawning(code, name, seconds))  # pyright: ignore[reportArgumentType]
    sys.meta_path.append(_Source(code, name, seconds, loaded))  # pyright: ignore[reportArgumentType]


def imported(name: str) -> ModuleType:
    """Import a module: the candidate, once it is offered."""
    return __import__(name)


_UNBOUND: dict[str, dict[str, str]] = {}
"""Names that set-up has not bound, for it failed, with what it raised."""


def _set_up(piece: CodeType, namespace: dict[str, Any], seconds: float) -> tuple[float, BaseException | None]:
    """Run a statement of set-up; how many seconds are left for the next, and what it raised."""
    failed = None

    def stop(number: int, frame: object) -> None:
        raise _Overdue

    shown = _silenced()
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        exec(piece, namespace)  # noqa: S102
    except MemoryError:
        raise
    except BaseException as error:  # noqa: BLE001 - a demo that goes wrong is nobody's concern
        failed = error
    finally:
        left = signal.setitimer(signal.ITIMER_REAL, 0)[0]
        if signal.getsignal(signal.SIGALRM) is stop:
            signal.signal(signal.SIGALRM, before)
        flush()
        if shown is not None:
            os.dup2(shown, 1)
            os.close(shown)
    return left, failed


def _silenced() -> int | None:
    """Lead standard output nowhere, and return where it led; None where the code has opened all files that it may."""
    # Where the stream leads, not the stream itself, which the code may ask, or keep for later.
    flush()
    try:
        nothing = os.open(os.devnull, os.O_WRONLY)
    except OSError:
        return None
    try:
        shown = os.dup(1)
        os.dup2(nothing, 1)
        return shown
    except OSError:
        return None
    finally:
        os.close(nothing)


def _depth() -> int:
    frame, depth = sys._getframe(), 0  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


def _defines(statement: Any) -> bool:
    if isinstance(statement, (_ast.If, _ast.Try)):
        return any(_defines(child) for child in (*statement.body, *statement.orelse))
    return isinstance(statement, _DEFINITIONS)


def _is_demo(statement: Any) -> bool:
    if not isinstance(statement, _ast.Expr) or not isinstance(statement.value, _ast.Call):
        return isinstance(statement, _ast.Assert)
    called = statement.value.func
    name = called.attr if isinstance(called, _ast.Attribute) else getattr(called, "id", "")
    return name in _DEMOS


def _is_watched() -> bool:
    """Whether the tests catch what is printed: in memory, or in the place of `print`."""
    try:
        sys.stdout.fileno()
    except (AttributeError, OSError, ValueError):
        return True
    return type(print) is not BuiltinFunctionType


class _State:
    """What the top of a candidate binds, and whether a statement may change it, also through its functions."""

    def __init__(self, statements: Any, compiled: Any) -> None:
        self._reads: dict[str, set[str]] = {}
        self._rebound: set[str] = set()
        self._variables: set[str] = set()
        for statement in statements:
            piece = compiled(statement)
            for part in _pieces(piece):
                self._rebound.update(part.co_names[place] for place in _arguments(part, "STORE_GLOBAL"))
            if isinstance(statement, _DEFINITIONS[:3]):
                self._reads[statement.name] = _looked_up(piece)
            elif not isinstance(statement, _DEFINITIONS):
                self._variables.update(piece.co_names[place] for place in _arguments(piece, "STORE_NAME"))

    def may_change(self, piece: CodeType, bound: dict[str, Any]) -> bool:
        """Whether a piece of code, or what it calls, binds a variable anew, or uses one that can be changed."""
        names, waiting = set[str](), [*_looked_up(piece)]
        while waiting:
            if (name := waiting.pop()) not in names:
                names.add(name)
                waiting += self._reads.get(name, ())
        own = {piece.co_names[place] for place in _arguments(piece, "STORE_NAME")}
        changeable = {name for name in self._variables if name in bound and not isinstance(bound[name], _FIXED)}
        return bool(own) or not names.isdisjoint(self._rebound | changeable)


_FIXED = (int, float, complex, str, bytes, tuple, frozenset, type(None), type, FunctionType, BuiltinFunctionType)
"""What a name may stand for that nothing changes."""


def global_reads(code: str) -> set[str]:
    """Names that the candidate looks up outside of its functions."""
    return _looked_up(compile(code, FILE, "exec", dont_inherit=True), at_the_top=False)


def _looked_up(code: CodeType, at_the_top: bool = True) -> set[str]:
    """The global names that a piece of code looks up, or binds."""
    found: set[str] = set()
    for piece in _pieces(code):
        found.update(piece.co_names[place >> 1] for place in _arguments(piece, "LOAD_GLOBAL"))
        if at_the_top or piece.co_name != "<module>":
            found.update(piece.co_names[place] for place in _arguments(piece, "LOAD_NAME"))
        if at_the_top:
            found.update(piece.co_names[place] for place in _arguments(piece, "STORE_NAME"))
            found.update(piece.co_names[place] for place in _arguments(piece, "STORE_GLOBAL"))
    return found


def _arguments(piece: CodeType, operation: str) -> Iterator[int]:
    """The arguments of an operation, wherever it is in a piece of code."""
    wide, wanted, high = opcode.opmap["EXTENDED_ARG"], opcode.opmap[operation], 0
    for found, argument in zip(piece.co_code[::2], piece.co_code[1::2], strict=True):
        whole = high << 8 | argument
        high = whole if found == wide else 0
        if found == wanted:
            yield whole


def _pieces(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _pieces(constant)


def describe(error: BaseException, code: str) -> dict[str, str]:
    """An exception in the words that the model reads: type, message, and the line of its own code."""
    # `splitlines` ends lines at characters at which Python does not, such as U+2028.
    lines = code.split("\n")
    number = error.lineno if isinstance(error, SyntaxError) and error.filename == FILE else None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE:
            number = trace.tb_lineno
        trace = trace.tb_next
    shown = f"line {number}: `{lines[number - 1].strip()}`" if number and number <= len(lines) else ""
    try:
        said = str(error)
    except Exception:  # noqa: BLE001 - the candidate's own exception class may be broken
        said = "its message could not be read"
    if isinstance(error, NameError) and (cause := _UNBOUND.get(str(error.name))):
        said += f", for {cause['code_line'] or 'what binds it'} raised {cause['message']}"
    name = type(error).__name__[:100]
    message, place = without_middle(f"{name}: {said}" if said else name, 500), without_middle(shown, 300)
    if (first := first_of(error)) is not error:
        inner = describe(first, code)
        message, place = f"{message}, first {inner['message']}", inner["code_line"] or place
    return {"error": name, "message": message, "code_line": place}
