"""Evaluators of a project: functions with a signature that LangSmith's `evaluate` accepts.
LangSmith's own code calls them.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
import types
from pathlib import Path
from typing import Any

from ..errors.runtime_error import GraphLoadError
from ..loading.graph_entry import parse_graph_path
from ..loading.load_graph import load_export
from ..protocol import (
    EvaluationResult,
    EvaluatorsListParams,
    EvaluatorsListResult,
    EvaluatorsRunParams,
    EvaluatorsRunResult,
)

#: The project that LangSmith's `evaluate` sends the traces of evaluators to.
_PROJECT = "evaluators"


async def list_evaluators(params: EvaluatorsListParams) -> EvaluatorsListResult:
    """Lists the evaluators of a module. Raises GraphLoadError when it does not load."""
    return {"names": list(await asyncio.to_thread(_load, params["file"]))}


async def run_evaluator(params: EvaluatorsRunParams) -> EvaluatorsRunResult:
    """Runs an evaluator. Raises GraphLoadError when there is no such evaluator, and the evaluator's own errors."""
    from langsmith import schemas
    from langsmith.run_helpers import tracing_context

    evaluators = await asyncio.to_thread(_load, params["file"])
    name = params["name"]
    wrapped = evaluators.get(name)
    if wrapped is None:
        names = ", ".join(f"'{known}'" for known in evaluators) or "none"
        raise GraphLoadError(f"{params['file']} has no evaluator '{name}'. Its evaluators: {names}.")
    run = schemas.Run(**params["run"])
    example = schemas.Example(**params["example"])
    with tracing_context(project_name=_PROJECT):
        if hasattr(wrapped, "afunc"):
            returned = await wrapped.aevaluate_run(run, example)
        else:
            returned = await asyncio.to_thread(wrapped.evaluate_run, run, example)
    results = returned["results"] if isinstance(returned, dict) else [returned]
    return {"results": [_result(result, name) for result in results]}


def _result(result: Any, name: str) -> EvaluationResult:
    found = json.loads(result.model_dump_json() if hasattr(result, "model_dump_json") else result.json())
    fields = ("score", "value", "comment", "correction", "source_run_id")
    kept = {field: found[field] for field in fields if found.get(field) is not None}
    return {"key": found.get("key") or name, **kept}  # type: ignore[typeddict-item]


def _load(file: str) -> dict[str, Any]:
    """LangSmith's evaluators by their names in a module: those in its `__all__`, or else those that it does not import."""
    path = Path(file)
    # Imports the file as graphs are imported; the export `__name__` is the name of the module.
    module = sys.modules[str(load_export(parse_graph_path(path.parent, f"{path}:__name__")))]
    listed = getattr(module, "__all__", None)
    names = list(vars(module)) if listed is None else list(listed)
    found: dict[str, Any] = {}
    for name in names:
        value = getattr(module, name, None)
        if name.startswith("_") or (listed is None and _is_imported(value, module)):
            continue
        evaluator = _wrap(value)
        if evaluator is not None:
            found[name] = evaluator
    return found


def _wrap(value: Any) -> Any:
    """LangSmith's evaluator for a function; None for values that its `evaluate` refuses, such as helper functions."""
    from langsmith.evaluation.evaluator import RunEvaluator, run_evaluator

    if isinstance(value, RunEvaluator):
        return value
    if not callable(value) or inspect.isclass(value):
        return None
    try:
        return run_evaluator(value)
    except (TypeError, ValueError):
        return None


def _is_imported(value: Any, module: types.ModuleType) -> bool:
    """Whether a value is imported. Functions that a call returned, and callable objects, count as the module's own."""
    # The types of classes and of built-in functions are built in.
    if not inspect.isfunction(value):
        return type(value).__module__ in ("builtins", "typing", "typing_extensions")
    return value.__module__ != module.__name__ and "<locals>" not in value.__qualname__
