"""Functions that make the graph of each run."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.runnables import RunnableConfig
from langgraph.store.base import BaseStore

from ..context.authenticated_user import AuthenticatedUser
from ..protocol import JsonObject

AccessContext = Literal["threads.create_run", "threads.update", "threads.read", "assistants.read"]


async def call_factory(
    factory: Callable[..., Any],
    config: RunnableConfig,
    *,
    access: AccessContext,
    store: BaseStore,
    context: JsonObject | None,
) -> Any:
    """Calls a factory with the arguments that it has parameters for: the config, the runtime, both, or
    none. A parameter gets the runtime of `langgraph_sdk.runtime` if it has that type or the name
    `runtime`. Synchronous factories run on a thread.
    """
    kinds = inspect.Parameter
    single = (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY)
    parameters = [
        parameter
        for parameter in inspect.signature(factory).parameters.values()
        if parameter.kind in single
    ]
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for parameter in parameters:
        if _wants_runtime(parameter):
            user = config.get("configurable", {}).get("langgraph_auth_user")
            value: Any = _server_runtime(access, store, context, user)
        elif parameter.default is parameter.empty or parameter.name == "config":
            value = config
        else:
            continue
        # After a parameter that was left out, arguments are passed by name.
        if parameter.kind is parameter.KEYWORD_ONLY or len(positional) < parameters.index(parameter):
            named[parameter.name] = value
        else:
            positional.append(value)
    if inspect.iscoroutinefunction(factory):
        return await factory(*positional, **named)
    return await asyncio.to_thread(factory, *positional, **named)


def _wants_runtime(parameter: inspect.Parameter) -> bool:
    annotation = parameter.annotation
    text = annotation if isinstance(annotation, str) else repr(annotation)
    return parameter.name == "runtime" or "ServerRuntime" in text


def _server_runtime(
    access: AccessContext, store: BaseStore, context: JsonObject | None, user: AuthenticatedUser | None
) -> Any:
    """The runtime for a factory, of the SDK's own type if it has one."""
    try:
        from langgraph_sdk import runtime
    except ImportError:
        return FactoryRuntime(access, store, context, user)
    if access == "threads.create_run":
        return runtime._ExecutionRuntime(access_context=access, user=user, store=store, context=context)
    return runtime._ReadRuntime(access_context=access, user=user, store=store)


@dataclass(frozen=True)
class FactoryRuntime:
    """Replaces `langgraph_sdk.runtime.ServerRuntime` for versions of `langgraph-sdk` that do not have it."""

    access_context: AccessContext
    store: BaseStore
    context: JsonObject | None
    user: AuthenticatedUser | None = None

    @property
    def execution_runtime(self) -> FactoryRuntime | None:
        return self if self.access_context == "threads.create_run" else None

    def ensure_user(self) -> AuthenticatedUser:
        if self.user is None:
            raise PermissionError("There is no authenticated user. Set auth.path in langgraph.json.")
        return self.user
