"""Cuts Markdown files into passages: one a section, several where a section is long."""

import re
from collections import Counter

from markdown_it import MarkdownIt
from markdown_it.token import Token

from docs_agent.state import Passage

#: A section longer than this is cut between two blocks, so that a passage stays small enough to quote.
_LONGEST_PASSAGE = 1200

#: Blocks with nothing to quote.
_SILENT_BLOCKS = {"html_block", "hr"}

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---(?=\n|\Z)", re.DOTALL)

parser = MarkdownIt("commonmark").enable("table")


def passages_of(file: str, markdown: str) -> list[Passage]:
    """`file` becomes part of each passage's source; lines count from 1."""
    text = re.sub(r"\r\n?", "\n", markdown)
    # Front matter is kept as empty lines, so that lines still count.
    text = _FRONT_MATTER.sub(lambda found: "\n" * found[0].count("\n"), text)
    lines = text.split("\n")
    passages: list[Passage] = []
    headings: list[tuple[int, str]] = []
    slugs: Counter[str] = Counter()
    source, heading_line = file, None
    blocks: list[str] = []
    start = 1

    def close() -> None:
        if blocks:
            heading = " › ".join(title for _, title in headings) or file
            passages.append(
                {"source": source, "file": file, "heading": heading, "line": start, "text": "\n\n".join(blocks)}
            )
            blocks.clear()

    for kind, first, raw, title in _blocks_of(text, lines):
        if title is not None:
            close()
            depth = int(kind[1:])
            while headings and headings[-1][0] >= depth:
                headings.pop()
            headings.append((depth, title))
            source = f"{file}#{_slug(title, slugs)}"
            heading_line = first
        elif kind not in _SILENT_BLOCKS:
            if blocks and sum(map(len, blocks)) + len(raw) > _LONGEST_PASSAGE:
                close()
            if not blocks:
                start = heading_line or first
            heading_line = None
            blocks.append(raw)
    close()
    return passages


def _blocks_of(text: str, lines: list[str]) -> list[tuple[str, int, str, str | None]]:
    """Kind (a heading's is its tag), first line, text and, of headings, title of each block at the top level."""
    tokens = parser.parse(text)
    blocks = []
    for at, token in enumerate(tokens):
        if token.level != 0 or token.map is None or token.nesting < 0:
            continue
        first, end = token.map
        is_heading = token.type == "heading_open"
        title = _plain_text(tokens[at + 1]) if is_heading else None
        raw = "\n".join(lines[first:end]).strip("\n").rstrip()
        blocks.append((token.tag if is_heading else token.type, first + 1, raw, title))
    return blocks


def _plain_text(inline: Token) -> str:
    """A heading's words without its markup, as GitHub names it."""
    return "".join(child.content for child in inline.children or [])


def _slug(title: str, slugs: Counter[str]) -> str:
    slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
    slugs[slug] += 1
    return slug if slugs[slug] == 1 else f"{slug}-{slugs[slug] - 1}"
