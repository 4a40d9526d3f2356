"""The key words to search for."""

from collections.abc import Sequence

from langchain_core.messages import AnyMessage

from docs_agent.corpus.words import key_words_of, words_of
from docs_agent.turn import questions_of

#: Words by which a question leans on the one before it.
_LEANING = {"it", "its", "that", "this", "they", "them", "these", "those", "there", "one", "ones"}


def search_query(messages: Sequence[AnyMessage]) -> str:
    """
    The key words of the last question. A question such as "And how long does it take?" depends on the one
    before it, so the key words of that one are included.
    """
    query: list[str] = []
    for question in reversed(questions_of(messages)):
        query = key_words_of(question) + query
        if not _leans_on_earlier(question):
            break
    return " ".join(dict.fromkeys(query))


def _leans_on_earlier(question: str) -> bool:
    first, *rest = words_of(question) or [""]
    is_short = len(key_words_of(question)) <= 2
    return is_short and (first == "and" or any(word in _LEANING for word in rest))
