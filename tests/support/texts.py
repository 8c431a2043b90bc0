"""The texts of every room in one place, for tests that read them."""

from __future__ import annotations

from thoughtgraph._internal.texts import texts
from thoughtgraph.assistant.texts import TEXTS as ASSISTANT
from thoughtgraph.tools.agenda.texts import TEXTS as AGENDA
from thoughtgraph.tools.calls.texts import TEXTS as CALLS
from thoughtgraph.tools.search.texts import TEXTS as SEARCH

TEXTS = {**ASSISTANT, **AGENDA, **CALLS, **SEARCH}
text = texts(TEXTS)
