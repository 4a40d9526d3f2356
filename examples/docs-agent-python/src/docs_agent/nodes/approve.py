"""Shows a person what was found and lets them decide: answer from it, ask in other words, or leave it."""

from typing import Literal

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from docs_agent.approval import Approve, Edit, ask_for_approval
from docs_agent.models.extract import excerpt_of
from docs_agent.settings import Context
from docs_agent.state import DocsState, citation_of
from docs_agent.turn import question_of, searches_of

#: How much of each passage the request shows, in characters.
_EXCERPT_LENGTH = 240


def approve(state: DocsState, runtime: Runtime[Context]) -> Command[Literal["plan", "answer", "decline"]]:
    messages, verdict = state["messages"], state.get("verdict")
    decision = ask_for_approval(
        {
            "question": question_of(messages),
            "reason": verdict["reason"] if verdict else "",
            "confidence": verdict["confidence"] if verdict else 0,
            "threshold": (runtime.context or Context()).approval_threshold,
            "passages": [
                {**citation_of(passage), "excerpt": excerpt_of(search["query"], passage, _EXCERPT_LENGTH)}
                for search in searches_of(messages)
                for passage in search["passages"]
            ],
        }
    )
    if isinstance(decision, Approve):
        return Command(goto="answer")
    if isinstance(decision, Edit):
        return Command(goto="plan", update={"messages": [HumanMessage(decision.question)]})
    return Command(goto="decline")
