"""Words, and the stems under which "purge", "purges" and "purging" are the same."""

import re
from functools import lru_cache

import snowballstemmer

#: Words that say nothing about what a question is about.
_STOP_WORDS = frozenset(
    (
        "a about after again all also am an and any anything are as at be because been before between but by can cannot could did "
        "difference different do does doing done else ever every for from get gets give go had happen happened happens has have having hello "
        "help hey hi how i if in into is it its just know let like long make may me mean means more much must my need no "
        "not of off on one or our out please same say see shall she should show so some still such take takes tell than thank thanks "
        "that the their them then there these they thing things this those to too up us use used using very want was way "
        "we were what when where whether which while who whom whose why will with without work works would you your"
    ).split()
)

_stemmer = snowballstemmer.stemmer("english")


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case and in order."""
    return re.findall(r"[^\W_]+", text.lower())


def key_words_of(text: str) -> list[str]:
    """The words of a text that carry its meaning."""
    return [word for word in words_of(text) if word not in _STOP_WORDS]


@lru_cache(maxsize=65_536)
def stem_of(word: str) -> str:
    return str(_stemmer.stemWord(word))


def stems_of(text: str) -> set[str]:
    return {stem_of(word) for word in words_of(text)}
