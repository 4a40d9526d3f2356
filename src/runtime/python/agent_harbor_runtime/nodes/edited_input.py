"""Converts a node's input from JSON that a person may have edited."""

from __future__ import annotations

import dataclasses
from typing import Any

from langchain_core.messages import BaseMessage, messages_from_dict
from pydantic import BaseModel

from ..link.json_text import from_json, to_json

_MESSAGE_TYPES = ("human", "ai", "system", "tool", "function", "chat", "remove")


def edited_input(edited: Any, recorded: Any) -> Any:
    """Unchanged values become the recorded ones. Messages, models and dataclasses get their recorded
    classes. `recorded` is None when the recorded value is not known.
    Raises the error of a class for fields that it cannot read.
    """
    if recorded is not None and from_json(to_json(recorded)) == edited:
        return recorded
    if isinstance(edited, list):
        earlier = list(recorded) if isinstance(recorded, (list, tuple)) else []
        items = [edited_input(item, earlier[at] if at < len(earlier) else None) for at, item in enumerate(edited)]
        return type(recorded)(items) if isinstance(recorded, (tuple, set, frozenset)) else items
    if not isinstance(edited, dict):
        return edited
    if isinstance(recorded, BaseMessage) or _is_message(edited):
        return messages_from_dict([{"type": edited.get("type", getattr(recorded, "type", "human")), "data": edited}])[0]
    if isinstance(recorded, BaseModel):
        return type(recorded).model_validate(edited)
    if dataclasses.is_dataclass(recorded) and not isinstance(recorded, type):
        return type(recorded)(**{key: edited_input(value, getattr(recorded, key, None)) for key, value in edited.items()})
    known = recorded if isinstance(recorded, dict) else {}
    return {key: edited_input(value, known.get(key)) for key, value in edited.items()}


def _is_message(value: dict[str, Any]) -> bool:
    """Whether a value is a message in the form of clients."""
    return value.get("type") in _MESSAGE_TYPES and "content" in value
