"""How the site is built: `make docs`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

project = "thoughtgraph"
author = "the thoughtgraph authors"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "mermaid_drawing",
    "page_lists",
    "api_names",
]
exclude_patterns = ["_build"]
# A block without a language is a terminal's or a reply's, not Python.
highlight_language = "none"
# `""` is an empty text, not a quotation.
smartquotes = False
myst_enable_extensions = ["colon_fence"]
myst_fence_as_directive = ["mermaid"]
myst_heading_anchors = 3

add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_type_aliases = {name: name for name in ("ChatModel", "Messages", "Parser", "Verifier", "Memory")}
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = "thoughtgraph"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
# No font, script or style comes from another host: the site is readable offline.
html_theme_options: dict[str, Any] = {"navigation_with_keys": True}
