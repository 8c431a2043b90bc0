"""Runs that are cut short at any moment, in every way there is: everything is freed, and the run can be resumed."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import aclosing, closing
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any

from effort import Effort
from load_child import Found, Held, held, leftovers
from load_concurrent import thread_of
from load_model import Seen, given, wrong_with
from load_places import PLACES, Place, opened
from thoughtgraph import open_checkpoints
from thoughtgraph.traces import astream_trace, stream_trace

WAYS = ("cancel", "timeout", "aclose", "astream_trace", "stream_trace", "SIGINT")
PATIENCE = 15.0


def _left(place: Place, before: Held) -> list[str]:
    if place.name != "model over HTTP":
        return [f"left {thing}" for thing in leftovers(before, place.seconds)]
    # A client keeps a connection or two open, not always the same ones, and the server has a thread for each.
    deadline = time.monotonic() + place.seconds
    while (more := len(held().files) - len(before.files)) > 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    return [f"left {more} more open connections"] if more > 2 else []


class _Moment:
    """The moment at which a run is cut short: so many seconds after it has entered its n-th place."""

    def __init__(self, seen: Seen, number: int, seconds: float, cut: Callable[[], None]) -> None:
        self._left, self._turn = number, threading.Lock()
        self.come = threading.Event()
        self._timer = threading.Timer(seconds, cut)
        self._timer.daemon = True
        seen.entered = self._entered

    def _entered(self, place: str) -> None:
        with self._turn:
            self._left -= 1
            if self._left == 0:
                self.come.set()
                self._timer.start()

    def over(self) -> None:
        """No more cuts; the one under way has been made."""
        with self._turn:
            self._left = 0
        self._timer.cancel()
        if self.come.is_set():
            self._timer.join()


def cut_short(place_name: str, loop: str, count: int, first: int, effort: Effort) -> Found:
    """Cut so many runs of a loop short, in one way after the other, and resume each."""
    place = next(place for place in PLACES if place.name == place_name)
    found, seen = Found(), Seen()
    path = Path(mkdtemp()) / "runs.sqlite"
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with (
        open_checkpoints(path) as checkpointer,
        opened(place, loop, seen, checkpointer) as graph,
        asyncio.Runner() as runner,
    ):
        runner.run(graph.ainvoke(given(loop, "warm"), thread_of("warm")))
        before: Held | None = None
        for number in range(count):
            way = WAYS[(first + number) % len(WAYS)]
            chance = effort.random("cut short", place.name, loop, way, number)
            case = _Case(graph, loop, f"{way.replace('_', '')}{number}", way, chance, seen)
            wrong = case.cut_sync() if way in ("stream_trace", "SIGINT") else runner.run(case.cut())
            wrong += _left(place, before) if before else []
            wrong += _locked(path)
            wrong += _resumed(graph, loop, case.tag, runner, seen)
            before = before or held()
            found.tried += 1
            found.figures[way] = found.figures.get(way, 0) + case.was_cut
            where = f"{place.name}, {loop}, {way}, case {number}, seed {effort.seed}"
            found.broke += [f"{where}: {line}" for line in wrong]
    return found


class _Case:
    """One run that is cut short."""

    def __init__(self, graph: Any, loop: str, tag: str, way: str, chance: Random, seen: Seen) -> None:
        self._graph, self._loop, self._way, self._seen = graph, loop, way, seen
        self.tag, self.was_cut = tag, False
        self._number, self._seconds = chance.randint(1, 8), chance.choice([0.0, 0.001, chance.random() * 0.05])

    async def cut(self) -> list[str]:
        """An async run, cut short in its way."""
        event_loop = asyncio.get_running_loop()
        cut = asyncio.Event()
        moment = _Moment(self._seen, self._number, self._seconds, lambda: event_loop.call_soon_threadsafe(cut.set))
        run = asyncio.create_task(self._run(cut))
        watch = asyncio.create_task(cut.wait())
        await asyncio.wait({run, watch}, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        asked = run.cancel() if self._way in ("cancel", "astream_trace") and cut.is_set() else False
        await asyncio.wait({run}, timeout=PATIENCE)
        await asyncio.to_thread(moment.over)
        watch.cancel()
        await asyncio.wait({watch})
        if not run.done():
            return [f"goes on {PATIENCE:.0f} s after it was cut short"]
        wrong = self._ended(run, asked)
        # LangGraph finishes what it was writing to the checkpointer, and only then leaves.
        if others := asyncio.all_tasks() - {asyncio.current_task()}:
            _, others = await asyncio.wait(others, timeout=PATIENCE)
        return wrong + [f"left the task {task.get_name()}: {task.get_coro()}"[:200] for task in others]

    def _ended(self, run: asyncio.Task[Any], asked: bool) -> list[str]:
        if run.cancelled():
            self.was_cut = True
            return [] if asked else ["was cancelled by nobody"]
        error = run.exception()
        if error is not None:
            self.was_cut = isinstance(error, TimeoutError) and self._way == "timeout"
            return [] if self.was_cut else [f"ended with {type(error).__name__}: {str(error)[:200]}"]
        if asked:
            return ["went on to its end after it was cancelled"]
        self.was_cut = run.result() == "closed"
        return []

    async def _run(self, cut: asyncio.Event) -> Any:
        graph, task, config = self._graph, given(self._loop, self.tag), thread_of(self.tag)
        if self._way == "cancel":
            return await graph.ainvoke(task, config)
        if self._way == "timeout":
            async with asyncio.timeout(None) as limit:
                watch = asyncio.create_task(cut.wait())
                watch.add_done_callback(lambda _: cut.is_set() and limit.reschedule(0))
                try:
                    return await graph.ainvoke(task, config)
                finally:
                    watch.cancel()
        stream = graph.astream(task, config) if self._way == "aclose" else None
        async with aclosing(stream or astream_trace(graph, task, config, interval=0.0)) as pieces:
            async for _ in pieces:
                if cut.is_set() and stream:
                    return "closed"
        return "ended"

    def cut_sync(self) -> list[str]:
        """A sync run in the main thread, cut short by closing its stream, or by Ctrl-C."""
        task, config = given(self._loop, self.tag), thread_of(self.tag)
        main = threading.main_thread().ident or 0
        cut, before = threading.Event(), held()
        if self._way == "stream_trace":
            moment = _Moment(self._seen, self._number, self._seconds, cut.set)
            with closing(stream_trace(self._graph, task, config, interval=0.0)) as batches:
                for _ in batches:
                    if cut.is_set():
                        self.was_cut = True
                        break
            moment.over()
            # The run ends at its next update: see `stream_trace`.
            deadline = time.monotonic() + PATIENCE
            while held().threads != before.threads and time.monotonic() < deadline:
                time.sleep(0.005)
            return []
        moment = _Moment(self._seen, self._number, self._seconds, lambda: signal.pthread_kill(main, signal.SIGINT))
        result = None
        try:
            result = self._graph.invoke(task, config)
            moment.over()
            time.sleep(0.01)
        except KeyboardInterrupt:
            self.was_cut = result is None
            moment.over()
            return []
        return []


def _locked(path: Path) -> list[str]:
    """Whether somebody still holds the file, after two seconds at most."""
    try:
        with closing(sqlite3.connect(path, timeout=2, isolation_level=None)) as db:
            db.execute("BEGIN IMMEDIATE")
            db.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        return [f"the file of checkpoints: {error}"]
    return []


def _resumed(graph: Any, loop: str, tag: str, runner: asyncio.Runner, seen: Seen) -> list[str]:
    """Resume a run, wherever it was; it comes to the same end, with every effect once."""
    seen.entered = lambda place: None
    config = thread_of(tag)

    async def resumed() -> Any:
        started = bool((await graph.aget_state(config)).created_at)
        async with asyncio.timeout(PATIENCE):
            return await graph.ainvoke(None if started else given(loop, tag), config)

    try:
        result = runner.run(resumed())
    except Exception as error:  # noqa: BLE001 - counted
        return [f"cannot be resumed: {type(error).__name__}: {str(error)[:300]}"]
    return [f"resumed: {what}" for what in wrong_with(loop, tag, result, seen, again=True)]
