"""The agent's one tool: full-text search over the folder of Markdown that the context names."""

import json

from langchain_core.tools import tool
from langgraph.prebuilt import ToolRuntime

from docs_agent.corpus.corpus import CorpusShelf
from docs_agent.settings import Context

_shelf = CorpusShelf()


@tool
def search_docs(query: str, runtime: ToolRuntime[Context]) -> str:
    """Searches the documents. Returns the passages that fit best, each with the source to cite.

    Args:
        query: The key words to look for
    """
    settings = runtime.context or Context()
    corpus = _shelf.open(settings.folder)
    search = corpus.search(query, settings.max_passages)
    runtime.stream_writer(
        {
            "type": "retrieved",
            "query": query,
            "files_searched": len(corpus.files),
            "confidence": search["confidence"],
            "sources": [passage["source"] for passage in search["passages"]],
        }
    )
    return json.dumps(search, ensure_ascii=False)
