"""Says that the question stays unanswered."""

from typing import Any

from langchain_core.messages import AIMessage

from docs_agent.state import DocsState
from docs_agent.turn import question_of


def decline(state: DocsState) -> dict[str, Any]:
    question = question_of(state["messages"])
    return {"messages": [AIMessage(f"I don't know: the documents do not answer “{question}”.")]}
