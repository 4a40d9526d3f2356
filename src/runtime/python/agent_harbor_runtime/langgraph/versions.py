"""Versions of the packages in the user's environment."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


LANGGRAPH_VERSION = _version("langgraph")

#: The oldest supported version; older ones have no context for runs, and different interrupts.
OLDEST_LANGGRAPH = (0, 6)


def is_too_old() -> bool:
    """Whether the installed version is too old. Does not import LangGraph."""
    numbers = re.findall(r"\d+", LANGGRAPH_VERSION or "")[:2]
    return bool(numbers) and tuple(map(int, numbers)) < OLDEST_LANGGRAPH
