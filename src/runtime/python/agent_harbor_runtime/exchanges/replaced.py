"""Temporarily replaced attributes."""

from __future__ import annotations

from typing import Any

_MISSING = object()


class ReplacedAttributes:
    """Replaces attributes, and keeps the original ones to restore them."""

    def __init__(self) -> None:
        self._before: list[tuple[Any, str, Any]] = []

    def replace(self, owner: Any, name: str, value: Any) -> None:
        # An inherited attribute must not become the class's own afterwards.
        self._before.append((owner, name, vars(owner).get(name, _MISSING)))
        setattr(owner, name, value)

    def restore(self) -> None:
        """Restores all attributes, the last replaced one first."""
        while self._before:
            owner, name, value = self._before.pop()
            if value is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, value)
