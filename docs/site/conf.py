"""Makes a site of the pages where they stand: `make docs` reads them, and copies none.

A page that no list below names, or a link that leads nowhere, is a warning, and ends the build.
"""

import re
import runpy
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "See it": ["tutorial", "how-to", "coming-from"],
    "Use it": [
        "names",
        "locate",
        "rules",
        "rule-projects",
        "packs",
        "cascades",
        "learn",
        "editors",
    ],
    "Trust it": ["review", "blocked", "listed", "undo", "proving", "deviations"],
    "Script it": ["ci", "commits", "campaigns", "drafts"],
    "Embed it": ["agents", "/agents/skills/astedit/SKILL", "gate"],
    "Look up": ["reference", "configuration", "languages", "performance", "/CHANGELOG"],
    "Change it": ["/CONTRIBUTING"]
    + ["development/" + name for name in ("architecture", "rewriting", "native-core", "recipes")]
    + ["development/" + name for name in ("glossary", "rule-ids", "acceptance")],
}

project = "astedit"
release = runpy.run_path(str(ROOT / "astedit/version.py"))["__version__"]
html_title = f"astedit {release}"
html_theme = "furo"
html_copy_source = False
extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["*.md", "docs/**.md", "agents/skills/**.md"]
myst_heading_anchors = 4


def read(app: Sphinx, page: str, text: list[str]) -> None:
    """Puts the lists of pages below the README; what is a directory is no page to link to."""
    place = (ROOT / page).parent

    def link(found: re.Match[str]) -> str:
        return found[1] if (place / found[2]).is_dir() else found[0]

    text[0] = re.sub(r"\[([^\]]+)\]\(([^)#:]+)\)", link, text[0])
    if page == root_doc:
        for title, names in PAGES.items():
            paths = [name if name.startswith("/") else f"/docs/{name}" for name in names]
            text[0] += "\n".join(
                ["", "```{toctree}", ":hidden:", f":caption: {title}", "", *paths, "```", ""]
            )


def setup(app: Sphinx) -> None:
    app.connect("source-read", read)
