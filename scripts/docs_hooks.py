"""What MkDocs does with a page of docs/ before it is rendered.

The pages are written so that their examples run: rustdoc's attributes stand behind a fence's language, its hidden lines
begin with `# `, and comments say what a test has to prepare (tests/python/docs_examples.py). Readers see none of that.
Nor do they see the backslashes that other renderers need before a `|` in the code of a table.
"""

from __future__ import annotations

import re

FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", flags=re.M | re.S)
PREPARED = re.compile(r"^<!-- (?:setup|needs):.*?-->\n", flags=re.M | re.S)
CODE = re.compile(r"`[^`\n]+`")
HIDDEN = re.compile(r"^#(?: .*)?$")


def shown(match: re.Match[str]) -> str:
    """A fence as readers see it."""
    language, _, code = match.groups()
    if language == "rust":
        code = "".join(line + "\n" for line in code.splitlines() if not HIDDEN.match(line))
    return f"```{language}\n{code}```"


def on_page_markdown(markdown: str, **_: object) -> str:
    markdown = CODE.sub(lambda match: match[0].replace("\\|", "|"), markdown)
    return FENCE.sub(shown, PREPARED.sub("", markdown))
