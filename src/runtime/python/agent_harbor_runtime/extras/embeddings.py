"""Computes vectors with `store.index.embed`: a function from strings to vectors, an embeddings object of
LangChain, or `provider:model`.
"""

from __future__ import annotations

import re
from typing import Any

from ..errors.runtime_error import GraphLoadError, ReturnValueError
from ..protocol import StoreEmbedParams, StoreEmbedResult
from .extras import Extras, call

_PROVIDER_AND_MODEL = re.compile(r"[a-z][a-z0-9_]+:.+")


class Embeddings:
    """The embedding function for the index of the store (`store.index.embed`)."""

    def __init__(self, extras: Extras) -> None:
        self._extras = extras
        #: The model that `provider:model` names; None until it is first used.
        self._model: Any = None

    async def embed(self, params: StoreEmbedParams) -> StoreEmbedResult:
        texts = params["texts"]
        vectors = await _call_embedder(await self._load_embedder(), texts)
        lists = [[float(number) for number in vector] for vector in vectors]
        if len(lists) != len(texts):
            raise ReturnValueError("store.index.embed must return a list of numbers for each text.")
        return {"vectors": lists}

    async def _load_embedder(self) -> Any:
        path = self._extras.path("embed")
        if path is None or not _PROVIDER_AND_MODEL.fullmatch(path):
            return await self._extras.load("embed")
        if self._model is None:
            try:
                from langchain.embeddings import init_embeddings  # type: ignore[import-not-found, unused-ignore]
            except ImportError as error:
                raise GraphLoadError(
                    f"store.index.embed '{path}' is the model of a provider, "
                    "which needs the package 'langchain'."
                ) from error
            self._model = init_embeddings(path)
        return self._model


async def _call_embedder(embedder: Any, texts: list[str]) -> Any:
    if callable(getattr(embedder, "aembed_documents", None)):
        return await embedder.aembed_documents(texts)
    if callable(embedder):
        return await call(embedder, texts)
    raise GraphLoadError(
        "store.index.embed must be a function, or an object with aembed_documents(texts)."
    )
