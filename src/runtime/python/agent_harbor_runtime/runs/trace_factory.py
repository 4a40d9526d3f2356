"""Traces runs whose factory failed. Other runs are traced by their graph."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from langchain_core.runnables import RunnableConfig, RunnableLambda


async def trace_failed_factory(graph_id: str, given: Any, config: RunnableConfig, error: Exception) -> None:
    """Sends a root span with the error. `given` is the input of the run."""

    async def fail(_: Any) -> None:
        raise error

    raised_at = error.__traceback__
    with suppress(Exception):  # The error is reported as the run's error.
        await RunnableLambda(fail).ainvoke(given, {"run_name": graph_id, **config})
    # Removes the place where the error was raised again.
    error.__traceback__ = raised_at
