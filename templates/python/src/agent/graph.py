"""The graph that langgraph.json names."""

from langchain_core.messages import SystemMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from agent.offline_model import OfflineModel
from agent.tools import TOOLS

# The model that answers. To use a provider's, add `langchain-openai` (or another package) to pyproject.toml and write
#
#     model = ChatOpenAI(model="gpt-5-mini").bind_tools(TOOLS)
model = OfflineModel().bind_tools(TOOLS)

INSTRUCTIONS = SystemMessage("You are a helpful assistant. Answer briefly.")


class State(MessagesState):
    """What a thread remembers: the conversation. Add fields of your own; nodes return the ones they change."""


async def call_model(state: State) -> dict:
    """Lets the model answer, or ask for tools."""
    return {"messages": [await model.ainvoke([INSTRUCTIONS, *state["messages"]])]}


# A server adds the checkpointer, so that threads are kept.
graph = (
    StateGraph(State)
    .add_node("model", call_model)
    .add_node("tools", ToolNode(TOOLS))
    .add_edge(START, "model")
    # To the tools when the model called some, to the end otherwise.
    .add_conditional_edges("model", tools_condition)
    .add_edge("tools", "model")
    .compile(name="agent")
)
