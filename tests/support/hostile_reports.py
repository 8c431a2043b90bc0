"""Programs that write garbage, or a pass of their own making, where the sandbox's reports go."""

from __future__ import annotations

from support.hostile_programs import attack


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
