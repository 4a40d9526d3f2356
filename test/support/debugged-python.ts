/**
 * `agent.py` of a graph with a sync node and an async one.
 * @param inAnswer a statement for the async node, after the line of `LINES`.
 */
export function debuggedAgent(inAnswer?: string): string {
  return `from typing import TypedDict
from langgraph.graph import END, START, StateGraph

class State(TypedDict, total=False):
    question: str
    found: str

def retrieve(state: State) -> State:
    found = state["question"].upper()
    return {"found": found}

async def answer(state: State) -> State:
    found = state["found"]
${inAnswer === undefined ? '' : `    ${inAnswer}\n`}    return {"found": found + "!"}

graph = (
    StateGraph(State).add_node(retrieve).add_node(answer)
    .add_edge(START, "retrieve").add_edge("retrieve", "answer").add_edge("answer", END).compile()
)
`;
}

/** Lines of `debuggedAgent()`: within the sync node, and within the async one. */
export const LINES = [10, 14] as const;
