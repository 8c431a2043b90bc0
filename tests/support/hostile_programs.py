"""Programs that a model must not be able to harm anybody with, and what each may come to in the sandbox.

`@HOME@`, `@TMP@`, `@PORT@`, `@UDP@`, `@MARK@`, `@PID@` and `@HOST@` stand for what `hostile_world.World` puts there.
"""

from __future__ import annotations

PLACES = ("apart", "together")
"""Where the tests run: in a process of their own, or beside the program."""
ENVIRONMENT = "THOUGHTGRAPH_CANARY"


def attack(*lines: str, top: str = "") -> str:
    """A program whose `attack()` is true only where it reached what it was after; it prints what it could read."""
    return top + "def attack():\n" + "".join(f"    {line}\n" for line in lines)


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
    "installed-packages-changed": attack("import pytest; open(pytest.__file__, 'a').write('#'); return True"),
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
    "many-descriptors": attack("return [open('/dev/null') for _ in range(5000)]"),
    "overwrite-own-report": attack("global __tg; __tg = (True, '', '')", top="__tg = (True, '', '')\n"),
    "sys-exit": attack("sys.exit(0)", top="import sys\n"),
    "system-exit": attack("raise SystemExit(0)"),
    "keyboard-interrupt": attack("raise KeyboardInterrupt"),
    "system-exit-at-import": attack("return True", top="class A:\n    raise SystemExit(0)\n"),
    "keyboard-interrupt-at-import": attack("return True", top="class A:\n    raise KeyboardInterrupt\n"),
    "recursion": attack("return attack()"),
    "own-bool": attack("return 0", top="def bool(x):\n    return True\n"),
    # Out of the interpreter.
    "subclasses": attack(
        "found = [c for c in ().__class__.__mro__[1].__subclasses__() if c.__name__ == '_wrap_close']",
        "return found[0].__init__.__globals__['system']('echo reached') == 0",
    ),
    "builtins-of-a-function": attack(
        "print(attack.__globals__['__builtins__'].__import__('os').popen('id').read()); return True"
    ),
    "objects-of-the-collector": attack(
        f"import gc; return [o for o in gc.get_objects() if isinstance(o, dict) and '{ENVIRONMENT}' in o]"
    ),
    "frames-for-secrets": attack(
        "import sys; frame, found = sys._getframe().f_back, []",
        "while frame: found += [n for n in frame.f_locals if n == '@MARK@'[:2] + 'x']; frame = frame.f_back",
        "return found",
    ),
    "pickle": attack("import pickle; return pickle.loads(b\"cos\\nsystem\\n(S'echo reached'\\ntR.\") == 0"),
    "evaluated-import": attack("return eval(\"__import__('os').system('echo reached')\") == 0"),
    # Other processes and the kernel.
    "memory-of-parent": attack("import os; return open(f'/proc/{os.getppid()}/mem', 'rb').read(1)"),
    "trace-host": attack("return libc.ptrace(16, @PID@, 0, 0) == 0", top=LIBC),
    "trace-parent": attack("return libc.ptrace(16, os.getppid(), 0, 0) == 0", top=LIBC),
    "read-parent-memory": attack(
        "place = (ctypes.c_size_t * 2)(id(libc), 8)",
        "return libc.process_vm_readv(os.getppid(), place, 1, place, 1, 0) > 0",
        top=LIBC,
    ),
    "enter-namespace": attack("return libc.setns(os.open('/tmp', 0), 0x40000000) == 0", top=LIBC),
    "unmount": attack("return libc.umount2(b'/tmp', 2) == 0", top=LIBC),
    "mount-proc": attack("return libc.mount(b'proc', b'/tmp', b'proc', 0, None) == 0", top=LIBC),
    "clone-user-namespace": attack(
        "import platform; number = {'x86_64': 56, 'aarch64': 220}[platform.machine()]",
        "child = libc.syscall(number, 0x10000000 | 17, 0, 0, 0, 0)",
        "if child == 0: os._exit(0)",
        "return child > 0",
        top=LIBC,
    ),
    "clone3-user-namespace": attack(
        "given = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)",
        "child = libc.syscall(435, ctypes.byref(given), 88)",
        "if child == 0: os._exit(0)",
        "return child > 0",
        top=LIBC,
    ),
    "io-uring": attack("return libc.syscall(425, 1, ctypes.create_string_buffer(120)) >= 0", top=LIBC),
    "key-ring": attack(
        "import platform; number = {'x86_64': 250, 'aarch64': 219}[platform.machine()]",
        "return libc.syscall(number, 0, -3, 0) >= 0 or libc.syscall(number, 0, -4, 1) >= 0",
        top=LIBC,
    ),
    "kernel-log": attack("return libc.klogctl(3, ctypes.create_string_buffer(999), 999) > 0", top=LIBC),
    "set-clock": attack("import time; time.clock_settime(time.CLOCK_REALTIME, time.time()); return True"),
    "set-host-name": attack("import socket; socket.sethostname('reached'); return True"),
    "host-name": attack("import socket, os; return '@HOST@' in (socket.gethostname(), os.uname().nodename)"),
    "kernel-memory": attack("return open('/dev/mem', 'rb').read(1) or open('/dev/kmsg').read(1)"),
    "kernel-settings": attack("import os; return os.listdir('/sys')"),
    "terminal": attack("import os; return os.write(os.open('/dev/tty', os.O_RDWR), b'@MARK@')"),
    # The network.
    "datagram": attack(
        "s = socket.socket(2, 2); s.sendto(b'x', ('127.0.0.1', @UDP@)); return False", top="import socket\n"
    ),
    "broadcast": attack(
        "s = socket.socket(2, 2); s.setsockopt(1, 6, 1); return s.sendto(b'x', ('255.255.255.255', @UDP@))",
        top="import socket\n",
    ),
    "raw-socket": attack("import socket; socket.socket(2, 3, 1); return True"),
    "packet-socket": attack("import socket; socket.socket(17, 3, 768); return True"),
    "socket-in-a-folder": attack("import socket; socket.socket(1).connect('@TMP@/../door'); return True"),
    "name-service": attack("import socket; return socket.getaddrinfo('example.com', 80)"),
    "virtual-machine-socket": attack(
        "s = socket.socket(40, 1); s.settimeout(0.3); s.connect((2, @PORT@)); return True", top="import socket\n"
    ),
    "programs": attack("import shutil; return shutil.which('curl') or shutil.which('sh')"),
    # Files.
    "read-standard-input": attack("import sys; return sys.stdin.read()"),
    "read-standard-input-below": attack("import os; return os.read(0, 99)"),
    "write-interpreter": attack("import sys; open(sys.executable, 'ab').write(b'@MARK@'); return True"),
    "list-homes": attack("import glob; return glob.glob('/home/*/*') + glob.glob('/root/.[a-oq-z]*')"),
    "read-shadow": attack("print(open('/etc/shadow').read()); return True"),
    "link-to-the-root": attack(
        "import os; os.symlink('/', '/tmp/r'); print(open('/tmp/r@TMP@/secret').read()); return True"
    ),
    "open-by-handle": attack(
        "import platform; number = {'x86_64': 304, 'aarch64': 265}[platform.machine()]",
        "return libc.syscall(number, -100, ctypes.create_string_buffer(136), 0) >= 0",
        top=LIBC,
    ),
    # Resources that end in an exception.
    "mapped-memory": attack("import mmap; return [mmap.mmap(-1, 1 << 28) for _ in range(8)]"),
    "deep-json": attack("import json; return json.loads('[' * 10**6)"),
    "deep-literal": attack("return eval('[' * 10**5 + ']' * 10**5)"),
    "number-of-many-digits": attack("return int('9' * 10**5)"),
    "exit-in-comparison": attack("return A() == 1", top="class A:\n    def __eq__(self, o): raise SystemExit(0)\n"),
}  # fmt: skip

THREAD = "import threading as t, time; t.Thread(target=time.sleep, args=(60,)).start(); return True"
BOMB = "class A:\n    def __repr__(self): return 'x' * (10 << 30)\n"
DEAF = "for number in set(range(1, 32)) - {9, 19}: signal.signal(number, signal.SIG_IGN)"
ENDED = {
    "endless-loop": ("timeout", attack("while True: pass")),
    "huge-power": ("timeout", attack("return 7 ** (7 ** 9)")),
    "endless-import": ("timeout", attack("return 1", top="class A:\n    while True: pass\n")),
    "regular-expression": ("timeout", attack("import re; re.match('(a+)+$', 'a' * 40 + 'b')")),
    "endless-sleep": ("timeout", attack("import time; time.sleep(60)")),
    "stop-itself": ("timeout", attack("import os; os.kill(os.getpid(), 19)")),
    "close-and-wait": ("timeout", attack("import os, time; os.closerange(0, 99); time.sleep(60)")),
    "ignore-signals": ("timeout", attack(DEAF, "while True: pass", top="import signal\n")),
    "thread-that-stays": ("passed", attack(THREAD)),
    "ten-gigabytes": ("memory", attack("return bytearray(10 << 30)")),
    "long-text": ("memory", attack("return 'x' * (10 << 30)")),
    "large-number": ("memory", attack("return 1 << (10 << 33)")),
    "growing-list": ("memory", attack("a = []", "while True: a.append('x' * 99_999)")),
    "repr-bomb": ("failed", attack("return A()", top=BOMB)),
    "endless-output": ("output_limit", attack("while True: print('x' * 99)")),
    "output-past-python": ("output_limit", attack("import os", "while True: os.write(1, b'x' * 99)")),
    "endless-reports": (
        "output_limit",
        attack(
            "import os",
            "while True:",
            "    for fd in range(3, 16):",
            "        try: os.write(fd, b'x' * 9999)",
            "        except OSError: pass",
        ),
    ),
    "os-exit": ("error", attack("import os; os._exit(0)")),
    "abort": ("error", attack("import os; os.abort()")),
    "segmentation-fault": ("error", attack("import ctypes; ctypes.string_at(0)")),
    "close-descriptors": ("error", attack("import os; os.closerange(0, 99); return True")),
    "wait-in-the-kernel": ("timeout", attack("import select; select.select([], [], [], 60)")),
    "sleep-at-exit": ("passed", attack("import atexit, time; atexit.register(time.sleep, 60); return True")),
    "loop-at-exit": (
        "passed",
        attack("import atexit; atexit.register(loop); return True", top="def loop():\n    while True: pass\n"),
    ),
    "become-another": (
        "timeout",
        attack("import os, sys; os.execv(sys.executable, [sys.executable, '-c', 'while True: pass'])"),
    ),
    "message-that-never-ends": (
        "timeout",
        attack("raise A()", top="class A(Exception):\n    def __str__(self):\n        while True: pass\n"),
    ),
    "endless-count": ("timeout", attack("import itertools; return sum(itertools.count())")),
    "wide-format": ("memory", attack("return '{:>9999999999}'.format(1)")),
    "growing-dictionary": ("memory", attack("return dict.fromkeys(range(10**9))")),
    "decompressed": (
        "memory",
        attack("import gzip; return gzip.decompress(gzip.compress(bytes(1 << 20)) * 999)"),
    ),
    "exit-in-length": (
        "failed",
        attack("return bool(A())", top="class A:\n    def __len__(self): raise SystemExit(0)\n"),
    ),
    "output-without-line-ends": (
        "output_limit",
        attack("import sys", "while True: sys.stderr.write('x' * 999); sys.stderr.flush()"),
    ),
    "invisible-output": ("output_limit", attack("while True: print('\\0\\r' * 99, end='', flush=True)")),
    "output-by-many": (
        "output_limit",
        attack("import os", "for _ in range(2): os.fork()", "while True: os.write(2, b'x' * 99)"),
    ),
    "long-name-of-an-error": ("failed", attack("raise type('x' * (8 << 20), (Exception,), {})")),
    "exit-in-message": (
        "error",
        attack("raise A()", top="class A(Exception):\n    def __str__(self): raise SystemExit(0)\n"),
    ),
    "kill-itself": ("error", attack("import os; os.kill(os.getpid(), 9)")),
}

# What they do stays inside, and may well be allowed there.
ALLOWED = {
    "kill-everything": attack("import os; os.kill(-1, 9); return True"),
    "stop-parent": attack("import os; os.kill(os.getppid(), 19); return True"),
    "signal-own-group": attack("import os, signal; signal.signal(15, signal.SIG_IGN); os.killpg(0, 15); return True"),
    "doubled-descriptors": attack("import os; [os.dup2(2, fd) for fd in range(3, 60)]; return True"),
    "swapped-descriptors": attack("import os; os.dup2(3, 2); print('x'); return True"),
    "exit-like-a-killed-one": attack("import os; os._exit(137)"),
    "write-at-exit": attack("import atexit; atexit.register(lambda: open('/tmp/@MARK@', 'w').write('x')); return True"),
    "broken-code-object": attack("f = lambda: 0; f.__code__ = f.__code__.replace(co_code=b'\\xff' * 64); return f()"),
    "no-recursion-limit": attack("import sys; sys.setrecursionlimit(10**9)", "def f(): return f()", "return f()"),
    "without-json": attack("import sys; sys.modules['json'] = None; return True"),
    "to-the-background": attack(
        "import os, time",
        "if os.fork() == 0: os.setsid(); os.fork() or time.sleep(60); os._exit(0)",
        "return True",
    ),
    "link-to-itself": attack("import os; os.symlink('/tmp/a', '/tmp/a'); return os.path.exists('/tmp/a') or True"),
    "folders-in-folders": attack("import os", "for _ in range(900): os.mkdir('a'); os.chdir('a')", "return True"),
    "many-files": attack("for n in range(9999): open(f'/tmp/{n}', 'w').close()", "return True"),
}

# Programs whose text is the attack: on what reads it before anything runs.
SOURCES = {
    "nul": "def f():\n    return 1\0\n",
    "half-a-character": "def f():\n    return '\ud800'\n",
    "other-encoding": "# -*- coding: utf-7 -*-\ndef f():\n    return '+AGEAYg-'\n",
    "unknown-encoding": "# coding: no-such-encoding\ndef f():\n    return 2\n",
    "form-feeds": "\f" * 9999 + "def f():\n    return 2\n",
    "direction-override": "def f():\n    return 2 #\u202e }\u2066 return 1\n",
    "look-alike-name": "def \uff47\u2080():\n    return 1\n",
    "parentheses": "x = " + "(" * 9999,
    "closed-parentheses": "def f():\n    return " + "(" * 150 + "2" + ")" * 150 + "\n",
    "signs": "def f():\n    return " + "-" * 9999 + "1\n",
    "attributes": "def f():\n    return f" + ".a" * 9999 + "\n",
    "additions": "def f():\n    return " + "+".join("1" * 9999) + "\n",
    "blocks": "".join(f"{' ' * n}if 1:\n" for n in range(120)) + " " * 120 + "pass\n",
    "long-line": "def f():\n    return '" + "x" * 2_000_000 + "'\n",
    "many-lines": "x = 1\n" * 15_000,
    "many-functions": "".join(f"def f{n}(): return {n}\n" for n in range(4000)),
    "long-number": "def f():\n    return " + "9" * 5000 + "\n",
    "long-hexadecimal": "def f():\n    return 0x" + "f" * 50_000 + "\n",
    "nested-texts": "def f():\n    return " + "f'{" * 80 + "2" + "}'" * 80 + "\n",
    "text-without-end": "def f():\n    return '''",
    "nothing": "",
    "tabs-and-spaces": "def f():\n\tif 1:\n        return 2\n",
    "decorators": "@a\n" * 9999 + "def f():\n    return 2\n",
}
