"""Traces runs whose factory failed. Usually the graph traces its run."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from langchain_core.runnables import RunnableConfig, RunnableLambda


async def trace_failed_factory(graph_id: str, given: Any, config: RunnableConfig, error: Exception) -> None:
    """Sends a root span with the error. `given` is the input of the run."""

    async def fail(_: Any) -> None:
        raise error

    raised_at = error.__traceback__
    with suppress(Exception):  # The error is reported as that of the run.
        await RunnableLambda(fail).ainvoke(given, {"run_name": graph_id, **config})
    # Removes the place where it was raised again.
    error.__traceback__ = raised_at
