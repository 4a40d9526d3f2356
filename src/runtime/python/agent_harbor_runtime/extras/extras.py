"""The app, auth and embeddings of a project, imported on first use."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from ..errors.runtime_error import GraphLoadError
from ..loading.graph_entry import parse_graph_path
from ..loading.load_graph import load_export
from ..protocol import ProjectExtras

ExtraName = Literal["embed", "http_app", "auth"]


class Extras:
    """The extras that `langgraph.json` names, each imported once."""

    def __init__(self, project_dir: Path, paths: ProjectExtras) -> None:
        self._project_dir = project_dir
        self._paths = paths
        self._loaded: dict[ExtraName, Any] = {}

    def path(self, name: ExtraName) -> str | None:
        """The reference of an extra in langgraph.json; None if there is none."""
        return self._paths.get(name)

    async def load(self, name: ExtraName) -> Any:
        """Loads the export of an extra. Raises GraphLoadError when langgraph.json has none, or it does
        not load.
        """
        if name not in self._loaded:
            path = self._paths.get(name)
            if path is None:
                raise GraphLoadError(f"langgraph.json has no {name.replace('_', '.')}.")
            await asyncio.to_thread(self.load_now, name)
        return self._loaded[name]

    def load_now(self, name: ExtraName) -> Any:
        """Like load, but on the calling thread, for callers without an event loop."""
        if name not in self._loaded:
            self._loaded[name] = load_export(parse_graph_path(self._project_dir, self._paths[name]))
        return self._loaded[name]


async def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls a function of the project; a synchronous one on a thread, because it may take long."""
    if inspect.iscoroutinefunction(function):
        return await function(*args, **kwargs)
    result = await asyncio.to_thread(function, *args, **kwargs)
    return await result if inspect.isawaitable(result) else result
