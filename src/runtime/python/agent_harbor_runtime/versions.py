"""What the user's environment brings."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


LANGGRAPH_VERSION = _version("langgraph")
