"""A full-text index over a folder of Markdown."""

import os
import sqlite3
import threading
from difflib import get_close_matches
from pathlib import Path

from docs_agent.corpus.markdown import passages_of
from docs_agent.corpus.words import key_words_of, stem_of
from docs_agent.state import Passage, Search

#: A word of this many letters and more that is not in the corpus may be misspelt.
_MAY_BE_MISSPELT = 6


class Corpus:
    """Indexes `documents`: the text of each file, under the name that citations use."""

    def __init__(self, documents: dict[str, str]) -> None:
        self.files = list(documents)
        self._passages = [p for file, text in documents.items() for p in passages_of(file, text)]
        self._stems = [_stems_of(f"{p['heading']} {p['text']}") for p in self._passages]
        self._vocabulary = sorted(set().union(*self._stems))
        # Tools run on threads, several at once.
        self._lock = threading.Lock()
        self._index = sqlite3.connect(":memory:", check_same_thread=False)
        self._index.execute("create virtual table passages using fts5(heading, text)")
        self._index.executemany(
            "insert into passages (rowid, heading, text) values (?, ?, ?)",
            ((at, _stemmed(p["heading"]), _stemmed(p["text"])) for at, p in enumerate(self._passages)),
        )

    def search(self, query: str, limit: int) -> Search:
        """The best `limit` passages for a query, best first; ones far worse than the best are left out."""
        key_words = list(dict.fromkeys(key_words_of(query)))
        known = {word: self._known(stem_of(word)) for word in key_words}
        hits: list[tuple[float, float, list[str], Passage]] = []
        for at, score in self._matches({stem for stem in known.values() if stem is not None}):
            missing = [word for word, stem in known.items() if stem not in self._stems[at]]
            share = 1 - len(missing) / len(key_words)
            hits.append((score * share, share, missing, self._passages[at]))
        hits = sorted(hits, key=lambda hit: -hit[0])[:limit]
        if not hits:
            return {"query": query, "confidence": 0, "missing": key_words, "passages": []}
        _, share, missing, _ = max(hits, key=lambda hit: hit[1])
        best = hits[0][0]
        return {
            "query": query,
            "confidence": round(share, 2),
            "missing": missing,
            "passages": [passage for score, _, _, passage in hits if score >= best / 3],
        }

    def _matches(self, stems: set[str]) -> list[tuple[int, float]]:
        if not stems:
            return []
        wanted = " OR ".join(f'"{stem}"' for stem in sorted(stems))
        with self._lock:
            rows = self._index.execute(
                # Better is more negative; a heading counts twice.
                "select rowid, -bm25(passages, 2.0, 1.0) from passages where passages match ?",
                (wanted,),
            ).fetchall()
        # A word that is in most passages must not count against one.
        return [(at, max(score, 1e-6)) for at, score in rows]

    def _known(self, stem: str) -> str | None:
        """The stem as the corpus has it, or the one that it may be a misspelling of."""
        if any(stem in stems for stems in self._stems):
            return stem
        if len(stem) < _MAY_BE_MISSPELT:
            return None
        return next(iter(get_close_matches(stem, self._vocabulary, 1, 0.85)), None)


class CorpusShelf:
    """Indexes folders of Markdown, and again only when something in them has changed."""

    def __init__(self) -> None:
        self._indexed: dict[Path, tuple[object, Corpus]] = {}
        self._lock = threading.Lock()

    def open(self, folder: Path) -> Corpus:
        """
        The index of a folder. Files are named from the folder's own name on: `docs/concepts.md`.

        Raises ValueError when the folder holds no Markdown.
        """
        with self._lock:
            paths = _markdown_files_in(folder)
            if not paths:
                raise ValueError(f"docs_dir: {folder} holds no Markdown (.md) file.")
            fingerprint = [(path, path.stat().st_mtime_ns, path.stat().st_size) for path in paths]
            known = self._indexed.get(folder)
            if known is not None and known[0] == fingerprint:
                return known[1]
            corpus = Corpus(
                {
                    f"{folder.name}/{path.relative_to(folder).as_posix()}": path.read_text("utf-8")
                    for path in paths
                }
            )
            self._indexed[folder] = (fingerprint, corpus)
            return corpus


def _markdown_files_in(folder: Path) -> list[Path]:
    """All Markdown files below a folder, in order; hidden folders and node_modules are left out."""
    found = []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        found += [
            Path(place) / name for name in sorted(files) if name.endswith(".md") and not name.startswith(".")
        ]
    return found


def _stemmed(text: str) -> str:
    return " ".join(stem_of(word) for word in key_words_of(text))


def _stems_of(text: str) -> set[str]:
    return {stem_of(word) for word in key_words_of(text)}
