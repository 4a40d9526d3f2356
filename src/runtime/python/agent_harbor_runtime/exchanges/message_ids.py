"""Gives messages of models IDs that are the same in a replay. LangChain derives them from the span
of the model, whose ID must be unique, so a replay cannot reuse it.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackManager, CallbackManager

from .exchanges import current_exchanges
from .replaced import ReplacedAttributes


def replace_message_ids(replaced: ReplacedAttributes) -> None:
    """Replaces the methods of LangChain that begin a model's span and give its messages their IDs."""
    start = CallbackManager.on_chat_model_start
    start_async = AsyncCallbackManager.on_chat_model_start

    def on_chat_model_start(self: Any, *args: Any, **options: Any) -> Any:
        return _renamed(start(self, *args, **options))

    async def on_chat_model_start_async(self: Any, *args: Any, **options: Any) -> Any:
        return _renamed(await start_async(self, *args, **options))

    replaced.replace(CallbackManager, "on_chat_model_start", on_chat_model_start)
    replaced.replace(AsyncCallbackManager, "on_chat_model_start", on_chat_model_start_async)


def _renamed(managers: list[Any]) -> list[Any]:
    """The managers, with other IDs if their run is recorded or replayed."""
    run = current_exchanges()
    if run is None:
        return managers
    return [_Renamed(manager, run.random_uuid("message")) for manager in managers]


class _Renamed:
    """A view of a callback manager with another ID, for code that only reads the ID."""

    def __init__(self, manager: Any, run_id: UUID) -> None:
        self._manager = manager
        self.run_id = run_id

    def __getattr__(self, name: str) -> Any:
        return getattr(self._manager, name)
