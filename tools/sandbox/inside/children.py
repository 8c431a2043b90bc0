"""The processes that the candidate starts itself: forked ones end here, others find its module."""

from __future__ import annotations

import os
from _frozen_importlib_external import PathFinder  # pyright: ignore[reportMissingImports, reportMissingModuleSource, reportUnknownVariableType]
from collections.abc import Callable

from .wire import flush

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SPAWN = "multiprocessing.spawn"
_MAIN = """\
import sys
sys.path.append({home!r})
from inside.candidate import offer
sys.path.remove({home!r})
offer({code!r}, {name!r}, {seconds!r}, id)
"""
"""The main module of a process that is started anew. A file of its own for the candidate, others would find as well."""
_FOLDER = "/dev/shm"


class Spawning:
    """Has processes that `multiprocessing` starts anew, and does not fork, import the candidate as its parent does.

    Args:
        code: of the candidate.
        name: of its module.
        seconds: that its set-up may take.
    """

    def __init__(self, code: str, name: str, seconds: float) -> None:
        home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
        self._main = _MAIN.format(home=home, code=code, name=name, seconds=seconds)

    def find_spec(self, name: str, path: Any = None, target: object = None) -> Any:
        """Find nothing but `multiprocessing`'s own module, and have that tell of the candidate."""
        if name != _SPAWN:
            return None
        found: Any = PathFinder.find_spec(name, path)
        if found is not None:
            execute: Callable[[Any], None] = found.loader.exec_module

            def exec_module(module: Any) -> None:
                execute(module)
                prepare: Callable[[str], dict[str, Any]] = module.get_preparation_data

                def prepare_with_main(name: str) -> dict[str, Any]:
                    return self._with_main(prepare(name))

                module.get_preparation_data = prepare_with_main

            found.loader.exec_module = exec_module
        return found

    def _with_main(self, data: dict[str, Any]) -> dict[str, Any]:
        if not any(key.startswith("init_main") for key in data):
            # What is written twice is the same.
            path = f"{_FOLDER}/main_{os.getpid()}.py"
            with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123
                file.write(self._main)
            data["init_main_from_path"] = path
        return data


def end_child(process: int, error: BaseException | None = None) -> None:
    """End a process that the code has forked: what it returns or raises is not for us to answer."""
    if os.getpid() != process:
        flush()
        status = error.code if isinstance(error, SystemExit) else int(error is not None)
        os._exit(status if isinstance(status, int) else int(status is not None))
