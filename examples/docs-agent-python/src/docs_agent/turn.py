"""What a conversation holds."""

import json
from collections.abc import Sequence

from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage

from docs_agent.state import Search


def question_of(messages: Sequence[AnyMessage]) -> str:
    """The latest question."""
    questions = questions_of(messages)
    return questions[-1] if questions else ""


def questions_of(messages: Sequence[AnyMessage]) -> list[str]:
    """Everything a person has asked, oldest first."""
    return [str(message.text).strip() for message in messages if isinstance(message, HumanMessage)]


def searches_of(messages: Sequence[AnyMessage]) -> list[Search]:
    """What was searched for, and found, since the latest question."""
    searches: list[Search] = []
    for message in reversed(messages):
        if isinstance(message, HumanMessage):
            break
        if isinstance(message, ToolMessage):
            searches.insert(0, json.loads(str(message.text)))
    return searches
