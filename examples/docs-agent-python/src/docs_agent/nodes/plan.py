"""Has the model decide what to search for."""

from typing import Any, Literal

from langchain_core.messages import SystemMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from docs_agent.models.choose import choose_model
from docs_agent.search_docs import search_docs
from docs_agent.settings import Context
from docs_agent.state import DocsState

_INSTRUCTIONS = SystemMessage(
    "You answer questions about a folder of documents. Search them before you answer anything about their subject: "
    "call search_docs with the key words of the question, made complete with what was said before. "
    "Answer without a search only when nothing is asked, as to a greeting."
)


async def plan(state: DocsState, runtime: Runtime[Context]) -> Command[Literal["retrieve", "__end__"]]:
    model: Any = choose_model(runtime.context or Context()).bind_tools([search_docs])
    message = await model.ainvoke([_INSTRUCTIONS, *state["messages"]])
    return Command(
        update={"messages": [message], "verdict": None, "citations": []},
        goto="retrieve" if message.tool_calls else "__end__",
    )
