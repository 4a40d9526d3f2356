"""Answers in the words of the documents."""

from docs_agent.corpus.quotes import Quote, joined, quotes_of
from docs_agent.corpus.words import key_words_of, stem_of, stems_of
from docs_agent.state import Passage

#: How many characters are quoted from the best passage, from the second best, and so on.
_QUOTE_LENGTHS = (700, 300, 200)


def extract_answer(query: str, passages: list[Passage]) -> str:
    """
    Answers a query in the words of the passages (best first): the sentences and lists that share most with the query,
    in their own order, each passage's followed by its `[source]`.
    """
    wanted = _stems_of_query(query)
    if not passages:
        return "The documents say nothing about that."
    best = passages[0]

    def words_in(passage: Passage) -> int:
        return _words_shared(wanted, f"{passage['heading']} {passage['text']}")

    quoted = [
        passage
        for passage in passages
        if passage is best or (_is_about(wanted, passage) and words_in(passage) >= words_in(best))
    ]
    parts = []
    for passage, length in zip(quoted, _QUOTE_LENGTHS, strict=False):
        if quotes := _best_quotes(wanted, passage, length):
            # A source follows a sentence, and is below a list, a table or code.
            gap = " " if quotes[-1].kind == "sentence" else "\n\n"
            parts.append(f"{joined(quotes)}{gap}[{passage['source']}]")
    return "\n\n".join(parts)


def excerpt_of(query: str, passage: Passage, length: int) -> str:
    """What of a passage bears on a query, in about `length` characters."""
    return joined(_best_quotes(_stems_of_query(query), passage, length))


def _best_quotes(wanted: set[str], passage: Passage, length: int) -> list[Quote]:
    """The quotes of a passage that share most with the query, as many as `length` characters hold, at least one."""
    quotes = quotes_of(passage["text"])
    ranked = []
    for position, quote in enumerate(quotes):
        previous = quotes[position - 1] if position > 0 else None
        score: float = _words_shared(wanted, quote.text)
        if _is_about(wanted, passage):
            score += 1 / (1 + position)  # A section on the subject opens by saying what it is.
        if previous is not None and previous.block == quote.block and _words_shared(wanted, previous.text) > 0:
            score += 0.25  # What follows a sentence on the subject goes on about it.
        if score > 0:
            ranked.append((-score, position))
    room = length
    chosen = []
    for rank, (_, position) in enumerate(sorted(ranked)):
        size = len(quotes[position].text)
        if rank == 0 or size <= room:
            room -= size
            chosen.append(position)
    return [quotes[position] for position in sorted(chosen)]


def _stems_of_query(query: str) -> set[str]:
    return {stem_of(word) for word in key_words_of(query)}


def _is_about(wanted: set[str], passage: Passage) -> bool:
    """Whether the heading right above a passage names something of the query."""
    return _words_shared(wanted, passage["heading"].split(" › ")[-1]) > 0


def _words_shared(wanted: set[str], text: str) -> int:
    return len(wanted & stems_of(text))
