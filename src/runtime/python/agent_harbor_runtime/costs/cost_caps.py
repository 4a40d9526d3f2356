"""In a run with a cap on costs, asks the server before each model call whether it is allowed, and
reports its usage afterwards.
LangChain calls the callback manager before every model call. A call that is refused there sends
nothing to the model.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any
from uuid import UUID

from langchain_core.callbacks import (
    AsyncCallbackManager,
    AsyncCallbackManagerForLLMRun,
    CallbackManager,
    CallbackManagerForLLMRun,
)

from ..link.connection import Connection
from ..protocol import ModelBeginResult

# The fields that the server needs to look up prices: of a call's metadata, its parameters, and the
# metadata of its response.
_METADATA_FIELDS = ("ls_provider", "ls_model_name", "ls_service_tier", "usage_metadata")
_PARAMETER_FIELDS = ("model", "model_name", "modelName", "model_id", "service_tier")
_RESPONSE_FIELDS = (*_PARAMETER_FIELDS, "modelVersion", "model_version", "serviceTier")

#: The attribute of a callback manager that holds its model call.
_CALL = "_agent_harbor_call"


class CostCapReached(Exception):
    """A model call was refused, because its run has reached a cap on costs, or has ended."""


class _CappedRun:
    """A run with a cap on the costs of its model calls."""

    def __init__(self, connection: Connection, run_id: str) -> None:
        self.run_id = run_id
        #: Why the run may make no more calls; None while it may.
        self.refused: str | None = None
        #: Open model calls, each with whether a call within it has already reported its usage.
        self.open: dict[UUID, bool] = {}
        self._connection = connection

    def ask(self) -> None:
        """Asks the server whether the run may call a model. Raises CostCapReached when it may not."""
        if self.refused is None:
            self._accept(self._connection.wait(self._request()))
        self._check()

    async def ask_async(self) -> None:
        """Like ask, for code that can await the answer."""
        if self.refused is None:
            answer = asyncio.wrap_future(self._request())
            try:
                self._accept(await asyncio.shield(answer))
            except asyncio.CancelledError:
                # A refused run is canceled too, and its trace should say why.
                self._accept(await answer)
                if self.refused is None:
                    raise
        self._check()

    def report(self, call: _Call, result: Any) -> None:
        """Reports the usage of a call that has ended, unless it is the sum of calls within it that
        have reported theirs.
        """
        was_reported = self.open.pop(call.id, False)
        if call.parent in self.open:
            self.open[call.parent] = True
        if was_reported:
            return
        self._connection.notify(
            "model.end",
            {
                "run_id": self.run_id,
                "started_at": call.started_at,
                "extra": call.extra,
                "outputs": _outputs_of(result),
            },
        )

    def _request(self) -> Any:
        return self._connection.request("model.begin", {"run_id": self.run_id})

    def _accept(self, answer: ModelBeginResult) -> None:
        self.refused = self.refused or answer.get("refused")

    def _check(self) -> None:
        if self.refused is not None:
            raise CostCapReached(self.refused)


class _Call:
    """A model call in a run with a cap."""

    def __init__(self, run: _CappedRun, manager: Any, parameters: Mapping[str, Any]) -> None:
        self.run = run
        self.id: UUID = manager.run_id
        self.parent: UUID | None = manager.parent_run_id
        self.started_at = time.time() * 1000
        self.extra = {
            "metadata": _pick(manager.metadata, _METADATA_FIELDS),
            "invocation_params": _pick(parameters, _PARAMETER_FIELDS),
        }


#: The run with a cap to which the current code belongs; tasks and threads that a run starts inherit it.
_current_cap: ContextVar[_CappedRun | None] = ContextVar("current_cap", default=None)


def begin_cap(connection: Connection, run_id: str) -> None:
    """Puts the current task's model calls under the cap of a run."""
    _current_cap.set(_CappedRun(connection, run_id))


def cap_refusal() -> CostCapReached | None:
    """The error of the current run's refused model calls; None while it may call models."""
    run = _current_cap.get()
    return None if run is None or run.refused is None else CostCapReached(run.refused)


def end_cap() -> None:
    """Refuses model calls after the run has ended, because threads that it started cannot be stopped."""
    run = _current_cap.get()
    if run is not None:
        run.refused = run.refused or "The run has ended."


def watch_models() -> None:
    """Watches every model call of this process."""
    for name in ("on_chat_model_start", "on_llm_start"):
        _watch_start(name)
        _watch_start_async(name)
    end = CallbackManagerForLLMRun.on_llm_end
    end_async = AsyncCallbackManagerForLLMRun.on_llm_end

    def on_llm_end(self: Any, response: Any, **options: Any) -> None:
        _end_call(self, response)
        end(self, response, **options)

    async def on_llm_end_async(self: Any, response: Any, **options: Any) -> None:
        _end_call(self, response)
        await end_async(self, response, **options)

    setattr(CallbackManagerForLLMRun, "on_llm_end", on_llm_end)
    setattr(AsyncCallbackManagerForLLMRun, "on_llm_end", on_llm_end_async)


def _watch_start(name: str) -> None:
    start = getattr(CallbackManager, name)

    def watched(self: Any, *args: Any, **options: Any) -> list[Any]:
        run = _current_cap.get()
        if run is None:
            return list(start(self, *args, **options))
        run.ask()
        return _begin_calls(run, start(self, *args, **options), options)

    setattr(CallbackManager, name, watched)


def _watch_start_async(name: str) -> None:
    start = getattr(AsyncCallbackManager, name)

    async def watched(self: Any, *args: Any, **options: Any) -> list[Any]:
        run = _current_cap.get()
        if run is None:
            return list(await start(self, *args, **options))
        await run.ask_async()
        return _begin_calls(run, await start(self, *args, **options), options)

    setattr(AsyncCallbackManager, name, watched)


def _begin_calls(run: _CappedRun, managers: list[Any], options: Mapping[str, Any]) -> list[Any]:
    """Notes the model call of each callback manager, and returns the managers."""
    for manager in managers:
        call = _Call(run, manager, options.get("invocation_params") or {})
        run.open[call.id] = False
        setattr(manager, _CALL, call)
    return managers


def _end_call(manager: Any, response: Any) -> None:
    """Reports the usage of a manager's model call, if it belongs to a run with a cap."""
    call = getattr(manager, _CALL, None)
    if isinstance(call, _Call):
        call.run.report(call, response)


def _outputs_of(result: Any) -> dict[str, Any]:
    """The model and the usage of a call, in the fields in which LangChain's tracer sends them."""
    generations = [
        [
            {
                "message": {
                    "usage_metadata": getattr(message, "usage_metadata", None),
                    "response_metadata": _pick(getattr(message, "response_metadata", None), _RESPONSE_FIELDS),
                }
            }
            for message in (getattr(generation, "message", None) for generation in group)
        ]
        for group in result.generations
    ]
    return {"generations": generations, "llm_output": result.llm_output}


def _pick(values: Mapping[str, Any] | None, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values} if values else {}
