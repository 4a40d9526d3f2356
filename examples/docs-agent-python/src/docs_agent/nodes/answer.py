"""Has the model answer from the passages, and notes which of them the answer cites."""

from typing import Any

from langchain_core.messages import SystemMessage
from langgraph.runtime import Runtime

from docs_agent.models.choose import choose_model
from docs_agent.search_docs import search_docs
from docs_agent.settings import Context
from docs_agent.state import DocsState, citation_of
from docs_agent.turn import searches_of

_INSTRUCTIONS = SystemMessage(
    "Answer the latest question from the passages that search_docs returned, and from nothing else. "
    "After each statement cite its passage by its source in square brackets, as in [docs/concepts.md#thread]. "
    "Where the passages do not answer, say so. Be brief."
)


async def answer(state: DocsState, runtime: Runtime[Context]) -> dict[str, Any]:
    # Providers refuse a conversation with tool calls in it unless the tool is still there.
    model: Any = choose_model(runtime.context or Context()).bind_tools([search_docs], tool_choice="none")
    message = await model.ainvoke([_INSTRUCTIONS, *state["messages"]])
    citations = [
        citation_of(passage)
        for search in searches_of(state["messages"])
        for passage in search["passages"]
        if f"[{passage['source']}]" in message.text
    ]
    message.additional_kwargs = {**message.additional_kwargs, "citations": citations}
    return {"messages": [message], "citations": citations}
