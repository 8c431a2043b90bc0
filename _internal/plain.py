"""Text from a model that must not steer a terminal."""

from __future__ import annotations

import re

# Half a surrogate pair steers nothing, but no terminal can be sent one.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: object) -> str:
    """Text without control characters, but for line ends and tabs, and without those that reorder what is shown."""
    return _CONTROL.sub("\ufffd", str(text))
