"""Answers questions about a folder of Markdown."""

from langgraph.graph import END, START, StateGraph
from langgraph.prebuilt import ToolNode

from docs_agent.nodes.answer import answer
from docs_agent.nodes.approve import approve
from docs_agent.nodes.decline import decline
from docs_agent.nodes.judge import judge
from docs_agent.nodes.plan import plan
from docs_agent.search_docs import search_docs
from docs_agent.settings import Context
from docs_agent.state import DocsInput, DocsState

docs_agent = (
    StateGraph(DocsState, input_schema=DocsInput, context_schema=Context)
    .add_node("plan", plan)
    .add_node("retrieve", ToolNode([search_docs], name="retrieve", handle_tool_errors=False))
    .add_node("judge", judge)
    .add_node("approve", approve)
    .add_node("answer", answer)
    .add_node("decline", decline)
    .add_edge(START, "plan")
    .add_edge("retrieve", "judge")
    .add_edge("answer", END)
    .add_edge("decline", END)
)

graph = docs_agent.compile(name="docs_agent")
