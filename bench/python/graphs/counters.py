"""The smallest possible runs, so that nearly all of their cost is the server's."""

from typing import TypedDict

from langgraph.graph import END, START, StateGraph


class State(TypedDict):
    count: int


async def increment(state: State) -> State:
    return {"count": state["count"] + 1}


def _chain(length: int):
    graph = StateGraph(State)
    names = [f"node{number + 1}" for number in range(length)]
    for name in names:
        graph.add_node(name, increment)
    for before, after in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(before, after)
    return graph.compile()


one_node = _chain(1)
ten_nodes = _chain(10)
