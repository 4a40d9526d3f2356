"""Stretches of Markdown that can be quoted on their own."""

import re
from dataclasses import dataclass
from typing import Literal

from markdown_it.token import Token

from docs_agent.corpus.markdown import parser

#: Numbered steps belong together, unless there are so many that only some can be quoted.
_LONGEST_LIST = 400

#: The end of a sentence: its stop, and white space before what may begin another.
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[\"“'(\[`*_]*[A-Z0-9])")


@dataclass
class Quote:
    text: str
    kind: Literal["sentence", "item", "block"]
    block: int
    """Which block of the passage it is in."""


def quotes_of(markdown: str) -> list[Quote]:
    """A passage cut into quotes. What a colon announces (a list, code, a table) stays with its sentence."""
    lines = markdown.split("\n")
    tokens = parser.parse(markdown)
    quotes: list[Quote] = []
    position = -1
    for at, token in enumerate(tokens):
        if token.level != 0 or token.map is None or token.nesting < 0:
            continue
        position += 1
        raw = "\n".join(lines[slice(*token.map)]).rstrip()
        if quotes and quotes[-1].text.endswith(":") and token.type != "paragraph_open":
            quotes[-1].text += f"\n\n{raw}"
            quotes[-1].kind = "block"
        else:
            quotes += _quotes_of_block(tokens, at, raw, lines, position)
    return quotes


def joined(quotes: list[Quote]) -> str:
    """The sentences of one paragraph run on, and so do the items of one list; the rest is on its own."""
    text = ""
    previous = None
    for quote in quotes:
        if previous is None:
            text = quote.text
        elif previous.block != quote.block or previous.kind != quote.kind:
            text += f"\n\n{quote.text}"
        else:
            text += f"{' ' if quote.kind == 'sentence' else chr(10)}{quote.text}"
        previous = quote
    return text


def _quotes_of_block(tokens: list[Token], at: int, raw: str, lines: list[str], position: int) -> list[Quote]:
    block = tokens[at]
    if block.type == "paragraph_open":
        paragraph = re.sub(r"\s*\n\s*", " ", raw)
        return [Quote(sentence, "sentence", position) for sentence in _SENTENCE_END.split(paragraph) if sentence]
    if block.type == "table_open":
        return [Quote(row, "item", position) for row in _rows_as_items(tokens[at:])]
    is_long = block.type == "ordered_list_open" and len(raw) > _LONGEST_LIST
    if block.type == "bullet_list_open" or is_long:
        items = [token for token in tokens[at:] if token.type == "list_item_open" and token.level == 1]
        inside = [token for token in items if block.map and token.map and token.map[1] <= block.map[1]]
        return [
            Quote("\n".join(lines[slice(*token.map)]).rstrip(), "item", position) for token in inside if token.map
        ]
    return [Quote(raw, "block", position)]


def _rows_as_items(tokens: list[Token]) -> list[str]:
    """A table's rows as list items: the first cell names what the others say."""
    rows: list[list[str]] = []
    in_body = False
    for token in tokens:
        if token.type == "table_close":
            break
        if token.type == "tbody_open":
            in_body = True
        elif in_body and token.type == "tr_open":
            rows.append([])
        elif in_body and token.type == "inline":
            rows[-1].append(token.content)
    return [f"- {row[0]}: {'; '.join(filter(None, row[1:]))}" for row in rows if row]
