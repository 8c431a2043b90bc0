"""What every page has in common: a policy that allows its own style and script alone, and a frame for notebooks."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files

_PACKAGE = __name__.rpartition(".")[0]


@cache
def part(name: str) -> str:
    """The text of a file beside this one."""
    return files(_PACKAGE).joinpath(name).read_text(encoding="utf-8")


def policy(style: str, script: str) -> str:
    """A content security policy that allows this one style sheet and this one script, by hash, and nothing else."""
    scripts = _hash(script) if script else "'none'"
    return f"default-src 'none'; script-src {scripts}; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"


def referenced(html: str) -> str:
    """HTML in ASCII, with references for all other characters: half a surrogate pair cannot be written as UTF-8."""
    return html.encode("ascii", "xmlcharrefreplace").decode()


def framed(html: str, height: int = 600, title: str = "Run") -> str:
    """Put a page into a frame of its own, for the output cell of a notebook.

    The frame may run the page's script, and can reach neither the notebook nor its cookies.

    Args:
        html: the page, in ASCII or not.
        height: of the frame, in pixels.
        title: what the frame shows, for screen readers.
    """
    # In single quotes: the double ones, of which JSON is full, may then stay as they are.
    document = html.replace("&", "&amp;").replace("'", "&#39;")
    style = f"width:100%;height:{height:d}px;border:0"
    return f'<iframe title="{title}" sandbox="allow-scripts" style="{style}" srcdoc=\'{document}\'></iframe>'


def _hash(inline: str) -> str:
    return f"'sha256-{b64encode(sha256(inline.encode()).digest()).decode()}'"
