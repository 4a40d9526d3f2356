"""A thread's state: the conversation, and what was judged and cited in its latest turn."""

from typing import Annotated

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict


class Citation(TypedDict):
    source: str
    """How an answer cites it: docs/concepts.md#purging"""
    file: str
    heading: str
    """The headings above the passage: Concepts › Purging"""
    line: int


class Passage(Citation):
    """A piece of one section of one Markdown file."""

    text: str


class Search(TypedDict):
    """What one search of the documents brought back."""

    query: str
    confidence: float
    """Share of the key words that the best passage has, 0 to 1."""
    missing: list[str]
    """Key words that the best passage does not have."""
    passages: list[Passage]


class Verdict(TypedDict):
    sure: bool
    confidence: float
    reason: str


class DocsInput(TypedDict):
    """A question is all that comes in."""

    messages: Annotated[list[AnyMessage], add_messages]


class DocsState(DocsInput):
    verdict: Verdict | None
    citations: list[Citation]


def citation_of(passage: Passage) -> Citation:
    return {
        "source": passage["source"],
        "file": passage["file"],
        "heading": passage["heading"],
        "line": passage["line"],
    }
