"""Judges what was found: answers when sure, asks a person when not, and gives up when there is nothing."""

from typing import Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from docs_agent.settings import Context
from docs_agent.state import DocsState, Search, Verdict
from docs_agent.turn import searches_of


def judge(state: DocsState, runtime: Runtime[Context]) -> Command[Literal["answer", "approve", "decline"]]:
    settings = runtime.context or Context()
    best = max(searches_of(state["messages"]), key=lambda search: search["confidence"])
    verdict: Verdict = {
        "sure": best["confidence"] > settings.approval_threshold,
        "confidence": best["confidence"],
        "reason": _reason_for(best),
    }
    runtime.stream_writer({"type": "judged", **verdict})
    unsure: Literal["approve", "decline"] = "approve" if best["passages"] else "decline"
    return Command(update={"verdict": verdict}, goto="answer" if verdict["sure"] else unsure)


def _reason_for(search: Search) -> str:
    if not search["passages"]:
        return "Nothing in the documents fits the question."
    if not search["missing"]:
        return "The best passage has every key word of the question."
    words = ", ".join(f"“{word}”" for word in search["missing"])
    return f"The best passage says nothing about {words}."
