"""Hostile programs in each tier: what is held back, and, named `known_limit`, what is not."""

from __future__ import annotations

import os
import socket
import sys
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from thoughtgraph import Limits, SandboxVerdict, run_project
from thoughtgraph.tools import contained
from thoughtgraph.tools.bubblewrap_tier import run_in_bubblewrap
from thoughtgraph.tools.checks import compile_checks, definitions
from thoughtgraph.tools.monty_tier import run_in_monty

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the second tier needs Linux")

TIERS = ("monty", "bubblewrap")
SECOND = ("bubblewrap",)
LIMITS = Limits(seconds=1, memory_mb=192, output_kb=32, processes=8)
ENVIRONMENT = "THOUGHTGRAPH_CANARY"


def attack(*lines: str, top: str = "") -> str:
    """A program whose `attack()` is true only where it reached what it was after; it prints what it could read."""
    return top + "def attack():\n" + "".join(f"    {line}\n" for line in lines)


@dataclass
class World:
    """What a hostile program is after, and must neither see nor change."""

    mark: str
    secret: str
    home_file: Path
    folder: Path
    port: int
    listeners: list[socket.socket]

    def aim(self, code: str) -> str:
        """The program with this world's names in place of its marks."""
        names = {"HOME": self.home_file, "TMP": self.folder, "PORT": self.port, "MARK": self.mark, "PID": os.getpid()}
        for name, value in names.items():
            code = code.replace(f"@{name}@", str(value))
        return code

    def run(self, tier: str, code: str, tests: str = "assert attack()") -> SandboxVerdict:
        """Run a program in one tier, and see that nothing was leaked, changed or left behind."""
        given = (definitions(self.aim(code)), compile_checks(tests), LIMITS)
        verdict = run_in_monty(*given, stop_early=False) if tier == "monty" else run_in_bubblewrap(*given)
        self.check_untouched(verdict)
        return verdict

    def check_untouched(self, verdict: SandboxVerdict) -> None:
        """No secret in the verdict, nothing written outside, nobody called, no process left."""
        shown = repr(verdict) + verdict.feedback
        assert self.secret not in shown
        assert Path("/etc/passwd").read_text().splitlines()[0] not in shown
        assert self.home_file.read_text() == self.secret
        assert {path.name: path.read_text() for path in self.folder.iterdir()} == {"secret": self.secret}
        places = [Path(place) for place in ("/", "/tmp", "/dev", "/dev/shm", "/var/tmp")]
        planted = [path for place in (*places, Path(os.__file__).parent) for path in place.glob(f"*{self.mark}*")]
        assert planted == []
        assert self.mark not in Path(os.__file__).read_text()
        for listener in self.listeners:
            with pytest.raises(BlockingIOError):
                listener.accept()
        end = time.monotonic() + 3
        while (left := processes_with(self.mark)) and time.monotonic() < end:
            time.sleep(0.02)
        assert left == []


def processes_with(mark: str) -> list[str]:
    """Command lines of living processes that hold the mark; a dead one has none."""
    found: list[str] = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        if mark in line:
            found.append(f"{path.parent.name}: {line[-200:]}")
    return found


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Canaries in the home folder, in /tmp, in the environment and behind an open descriptor; two listeners."""
    mark, secret = f"tgmark{uuid.uuid4().hex}", f"secret{uuid.uuid4().hex}"
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret").write_text(secret)
    home_file = Path.home() / f".canary-{uuid.uuid4().hex}"
    monkeypatch.setenv(ENVIRONMENT, secret)
    # The harness is part of every sandboxed process's command line, so its own mark tells who was left.
    harness = f"{contained._harness()}\n# {mark}\n"
    monkeypatch.setattr(contained, "_harness", lambda: harness)
    with ExitStack() as stack:
        home_file.write_text(secret)
        stack.callback(home_file.unlink, missing_ok=True)
        opened = stack.enter_context((folder / "secret").open())
        os.set_inheritable(opened.fileno(), True)
        door = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        local = stack.enter_context(socket.socket(socket.AF_UNIX))
        local.bind(f"\0{mark}")
        local.listen()
        door.setblocking(False)
        local.setblocking(False)
        yield World(mark, secret, home_file, folder, door.getsockname()[1], [door, local])


LIBC = "import ctypes, os\nlibc = ctypes.CDLL(None)\n"
REFUSED = {
    "read-etc-passwd": attack("print(open('/etc/passwd').read()); return True"),
    "read-home": attack("print(open('@HOME@').read()); return True"),
    "list-home": attack("import os; home, name = os.path.split('@HOME@'); return name in os.listdir(home)"),
    "read-host-tmp": attack("print(open('@TMP@/secret').read()); return True"),
    "read-dot-dot": attack("print(open('../../../../../..@TMP@/secret').read()); return True"),
    "read-by-pathlib": attack("print(Path('@HOME@').read_text()); return True", top="from pathlib import Path\n"),
    "read-by-ctypes": attack("libc.read(libc.open(b'@HOME@', 0), data, 999); print(data.value); return data.value",
                             top=LIBC + "data = ctypes.create_string_buffer(999)\n"),
    "environment": attack(f"import os; print(dict(os.environ)); return '{ENVIRONMENT}' in os.environ"),
    "environment-by-ctypes": attack(
        f"libc.getenv.restype = ctypes.c_char_p; a = libc.getenv(b'{ENVIRONMENT}'); print(a); return a", top=LIBC),
    "proc-own-environment": attack("print(open('/proc/self/environ').read()); return True"),
    "proc-host-environment": attack("print(open('/proc/@PID@/environ').read()); return True"),
    "proc-root": attack("print(open('/proc/1/root@TMP@/secret').read()); return True"),
    "proc-listing": attack("import os; return os.listdir('/proc')"),
    "symlink-to-etc": attack(
        "import os; os.symlink('/etc', '/tmp/a'); print(open('/tmp/a/passwd').read()); return True"
    ),
    "symlink-to-home": attack("import os; os.symlink('@HOME@', '/tmp/a'); print(open('/tmp/a').read()); return True"),
    "hard-link": attack("import os; os.link('@TMP@/secret', '/tmp/a'); print(open('/tmp/a').read()); return True"),
    "inherited-descriptors": attack(
        "import os; data = b''",
        "for fd in range(3, 64):",
        "    try: data += os.pread(fd, 999, 0)",
        "    except OSError: pass",
        "print(data); return data",
    ),
    "installed-packages": attack("import pytest; return True"),
    "socket": attack("import socket; socket.create_connection(('127.0.0.1', @PORT@), 0.5); return True"),
    "abstract-socket": attack("import socket; socket.socket(socket.AF_UNIX).connect('\\0@MARK@'); return True"),
    "http": attack("import urllib.request as r; return r.urlopen('http://127.0.0.1:@PORT@/', timeout=0.5).status"),
    "network-interface": attack("import socket; return [n for _, n in socket.if_nameindex() if n != 'lo']"),
    "signal-host": attack("import os; os.kill(@PID@, 15); return True"),
    "signal-group-of-host": attack("import os; os.killpg(@PID@, 15); return True"),
    "signal-parent": attack("import os, time; os.kill(os.getppid(), 9); time.sleep(0.2)"),
    "write-host-tmp": attack("open('@TMP@/@MARK@', 'w').write('x'); return True"),
    "delete-home-file": attack("import os; os.remove('@HOME@'); return True"),
    "write-standard-library": attack("import os; open(os.__file__, 'a').write('# @MARK@'); return True"),
    "write-root": attack("open('/@MARK@', 'w').write('x'); return True"),
    "write-dev": attack("open('/dev/@MARK@', 'w').write('x'); return True"),
    "shell": attack("import os; return os.system('echo reached') == 0"),
    "exec-shell": attack("import os; os.execv('/bin/sh', ['sh', '-c', 'echo @MARK@'])"),
    "subprocess": attack("import subprocess; return subprocess.run(['/usr/bin/id']).returncode == 0"),
    "setuid-root": attack("import os; os.setuid(0); return True"),
    "setgid-root": attack("import os; os.setresgid(0, 0, 0); return True"),
    "chroot": attack("import os; os.chroot('/tmp'); return True"),
    "device-node": attack("import os; os.mknod('/tmp/disk', 0o60600, 8 << 8); return True"),
    "mount": attack("return libc.mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0", top=LIBC),
    "remount-writable": attack("return libc.mount(b'none', b'/', b'none', 4096 | 32, None) == 0", top=LIBC),
    "user-namespace": attack("return libc.unshare(0x10000000) == 0", top=LIBC),
    "raise-memory-limit": attack("import resource as r; r.setrlimit(r.RLIMIT_AS, (-1, -1)); return True"),
    "raise-process-limit": attack("import resource as r; r.setrlimit(r.RLIMIT_NPROC, (999, 999)); return True"),
    # Bounded, so that a broken sandbox does not take the machine with it.
    "fork-bomb": attack("import os, time", "for _ in range(60):", "    os.fork() or time.sleep(20)", "return True"),
    "threads": attack("for _ in range(60): Thread(target=sleep, args=(9,), daemon=True).start()", "return True",
                      top="from threading import Thread\nfrom time import sleep\n"),
    "fill-tmp": attack("for n in range(8): open(f'/tmp/{n}', 'wb').write(bytes(12 << 20))", "return True"),
    "one-large-file": attack("open('/tmp/a', 'wb').write(bytes(40 << 20)); return True"),
    "fill-shared-memory": attack("open('/dev/shm/a', 'wb').write(bytes(4 << 20)); return True"),
    "many-descriptors": attack("return [open('/dev/null') for _ in range(500)]"),
    "overwrite-own-report": attack("global __tg; __tg = (True, '', '')", top="__tg = (True, '', '')\n"),
    "sys-exit": attack("sys.exit(0)", top="import sys\n"),
    "system-exit": attack("raise SystemExit(0)"),
    "keyboard-interrupt": attack("raise KeyboardInterrupt"),
    "system-exit-at-import": attack("return True", top="class A:\n    raise SystemExit(0)\n"),
    "keyboard-interrupt-at-import": attack("return True", top="class A:\n    raise KeyboardInterrupt\n"),
    "recursion": attack("return attack()"),
    "own-bool": attack("return 0", top="def bool(x):\n    return True\n"),
}  # fmt: skip


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("name", REFUSED)
def test_refused(world: World, tier: str, name: str) -> None:
    """The attack does not reach what it was after; where it ran at all, that counts as a failed check."""
    verdict = world.run(tier, REFUSED[name])
    assert verdict.status in (("failed", "error") if tier == "bubblewrap" else ("failed", "error", "unsupported"))


THREAD = "import threading as t, time; t.Thread(target=time.sleep, args=(60,)).start(); return True"
BOMB = "class A:\n    def __repr__(self): return 'x' * (10 << 30)\n"
DEAF = "for number in set(range(1, 32)) - {9, 19}: signal.signal(number, signal.SIG_IGN)"
ENDED = {
    "endless-loop": ("timeout", TIERS, attack("while True: pass")),
    "huge-power": ("timeout", TIERS, attack("return 7 ** (7 ** 9)")),
    "endless-import": ("timeout", SECOND, attack("return 1", top="class A:\n    while True: pass\n")),
    "regular-expression": ("timeout", SECOND, attack("import re; re.match('(a+)+$', 'a' * 40 + 'b')")),
    "endless-sleep": ("timeout", SECOND, attack("import time; time.sleep(60)")),
    "stop-itself": ("timeout", SECOND, attack("import os; os.kill(os.getpid(), 19)")),
    "close-and-wait": ("timeout", SECOND, attack("import os, time; os.closerange(0, 99); time.sleep(60)")),
    "ignore-signals": ("timeout", SECOND, attack(DEAF, "while True: pass", top="import signal\n")),
    "thread-that-stays": ("timeout", SECOND, attack(THREAD)),
    "ten-gigabytes": ("memory", SECOND, attack("return bytearray(10 << 30)")),
    "long-text": ("memory", TIERS, attack("return 'x' * (10 << 30)")),
    "large-number": ("memory", TIERS, attack("return 1 << (10 << 33)")),
    "growing-list": ("memory", TIERS, attack("a = []", "while True: a.append('x' * 99_999)")),
    "repr-bomb": ("memory", TIERS, attack("return A()", top=BOMB)),
    "endless-output": ("output_limit", TIERS, attack("while True: print('x' * 99)")),
    "output-past-python": ("output_limit", SECOND, attack("import os", "while True: os.write(1, b'x' * 99)")),
    "endless-reports": ("output_limit", SECOND, attack("import os", "while True: os.write(3, b'x' * 9999)")),
    "os-exit": ("error", SECOND, attack("import os; os._exit(0)")),
    "abort": ("error", SECOND, attack("import os; os.abort()")),
    "segmentation-fault": ("error", SECOND, attack("import ctypes; ctypes.string_at(0)")),
    "close-descriptors": ("error", SECOND, attack("import os; os.closerange(0, 99); return True")),
}


@pytest.mark.parametrize(
    ("tier", "name"), [pytest.param(tier, name, id=f"{name}-{tier}") for name in ENDED for tier in ENDED[name][1]]
)
def test_ended(world: World, tier: str, name: str) -> None:
    """The program is ended, and the verdict says which limit ended it."""
    status, _, code = ENDED[name]
    assert world.run(tier, code, "assert attack() == 1" if name == "repr-bomb" else "assert attack()").status == status


def test_process_that_outruns_its_own_death_is_no_pass(world: World) -> None:
    """Whether it is stopped as ended, late or out of processes depends on who is faster."""
    code = attack("import os", "for _ in range(9999): os.fork() and os._exit(0)", "return True")
    assert world.run("bubblewrap", code).status in ("error", "failed", "timeout")


def test_first_tier_counts_sleep_as_time(world: World) -> None:
    assert world.run("monty", attack("import time", "time.sleep(1.5)", "return True")).status == "timeout"


def test_process_left_behind_dies_with_the_sandbox(world: World) -> None:
    leave = "os.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(30)', '@MARK@'])"
    code = attack(
        "import os, sys, time",
        f"if os.fork() == 0: os.setsid(); os.fork() or {leave}; os._exit(0)",
        "os.wait(); time.sleep(0.2); return True",
    )
    assert world.run("bubblewrap", code).status == "passed"


def test_processes_of_a_running_sandbox_are_seen(world: World) -> None:
    """What the other tests rely on when they see none."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(world.run, "bubblewrap", attack("import time; time.sleep(0.3); return True"))
        seen = 0
        while not future.done():
            seen = max(seen, len(processes_with(world.mark)))
        assert future.result().status == "passed"
    assert seen >= 2


def reports(*lines: bytes, then: str = "return 0") -> str:
    """A program that writes bytes where the reports go."""
    write = f"    try: os.write(fd, {b''.join(lines)!r})"
    return attack("import os", "for fd in range(3, 9):", write, "    except OSError: pass", then)


MALFORMED = {
    "no-json": b"\xff\x00 no report\n",
    "not-a-report": b'{}\n[1]\n7\n"x"\nnull\n',
    "number-of-no-check": b'{"check": 99, "passed": false, "got": "", "expected": ""}\n',
    "number-is-a-list": b'{"check": [1]}\n',
    "number-is-a-text": b'{"check": "x"}\n',
    "missing-keys": b'{"check": 5, "passed": false}\n{"check": 5, "error": 1}\n',
    "deep": b"[" * 20_000 + b"\n",
    "huge-number": b'{"check": ' + b"9" * 5000 + b"}\n",
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_report_is_not_an_error_of_the_caller(world: World, name: str) -> None:
    assert world.run("bubblewrap", reports(MALFORMED[name])).status in ("failed", "error")


def test_lost_report_is_not_a_pass(world: World) -> None:
    """Text without a line end swallows the report behind it, here that of a failed check."""
    assert world.run("bubblewrap", reports(b"x")).status != "passed"


@pytest.mark.parametrize("tier", TIERS)
def test_known_limit_object_equal_to_everything_passes(world: World, tier: str) -> None:
    code = "class A:\n    def __eq__(self, other):\n        return True\n" + attack("return A()")
    assert world.run(tier, code, "assert attack() == 7").status == "passed"


FORGED = {
    "written": reports(
        b'{"check": 0, "passed": true, "got": "", "expected": ""}\n{"done": true}\n', then="os._exit(0)"
    ),
    "through-frames": attack(
        "import os, sys; frame = sys._getframe()",
        "while 'report' not in frame.f_locals: frame = frame.f_back",
        "frame.f_locals['report'](check=0, passed=True, got='', expected='')",
        "frame.f_locals['report'](done=True); os._exit(0)",
    ),
    "by-a-changed-module": attack(
        "import json; write = json.dumps; json.dumps = lambda r: write({**r, 'passed': True}); return 0"
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_known_limit_second_tier_believes_a_forged_report(world: World, name: str) -> None:
    """The candidate shares its process with the reporter: a program that is out to cheat can pass."""
    assert world.run("bubblewrap", FORGED[name]).status == "passed"


def test_known_limit_shared_memory_is_not_counted(world: World) -> None:
    """System V segments live beyond the limit of a process, until the sandbox ends."""
    code = attack(
        "libc.shmat.restype = ctypes.c_void_p",
        "for _ in range(8):",
        "    place = libc.shmat(libc.shmget(0, 32 << 20, 0o1600), None, 0)",
        "    ctypes.memset(place, 1, 32 << 20); libc.shmdt(ctypes.c_void_p(place))",
        "return True",
        top=LIBC,
    )
    assert world.run("bubblewrap", code).status == "passed"


PROJECT = (
    "read-etc-passwd",
    "read-home",
    "read-host-tmp",
    "environment",
    "socket",
    "write-standard-library",
    "fork-bomb",
)


@pytest.mark.parametrize("name", PROJECT)
def test_refused_in_a_project(world: World, name: str) -> None:
    tests = {"test_it.py": "from solution import attack\ndef test_attack():\n    assert attack()\n"}
    limits = Limits(seconds=3, memory_mb=192, output_kb=64, processes=8)
    verdict = run_project({"solution.py": world.aim(REFUSED[name])}, tests, limits)
    world.check_untouched(verdict)
    assert verdict.status == "failed"
