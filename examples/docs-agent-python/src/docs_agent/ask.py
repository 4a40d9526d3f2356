"""Asks the agent in the terminal, without a server: `python -m docs_agent.ask "How do I purge traces?"`."""

import asyncio
import json
import sys
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from docs_agent.graph import docs_agent

graph = docs_agent.compile(checkpointer=InMemorySaver())


async def ask(question: str) -> None:
    request = await run({"messages": question})
    while request is not None:
        request = await run(Command(resume=decide(request)))


async def run(value: Any) -> dict[str, Any] | None:
    """Runs the graph once and prints what it streams; returns the request for approval that it stopped at, if any."""
    request = None
    config: Any = {"configurable": {"thread_id": "terminal"}}
    chunks: Any = graph.astream(value, config, stream_mode=["messages", "custom", "updates"])
    async for mode, data in chunks:
        if mode == "messages":
            message, metadata = data
            if metadata["langgraph_node"] != "retrieve":
                print(message.text, end="", flush=True)
        elif mode == "custom":
            print(dim(json.dumps(data, ensure_ascii=False)))
        elif "__interrupt__" in data:
            request = data["__interrupt__"][0].value
    print()
    return request


def decide(request: dict[str, Any]) -> dict[str, str]:
    """Shows what was found, and reads a decision."""
    print(f"{request['reason']} This was found:\n")
    for passage in request["passages"]:
        print(f"{passage['source']}\n{dim(passage['excerpt'])}\n")
    reply = prompt("y to answer from it, Enter to leave it, or the question in other words: ")
    if reply == "":
        return {"decision": "reject"}
    return {"decision": "approve"} if reply == "y" else {"decision": "edit", "question": reply}


def prompt(text: str) -> str:
    """Reads a line; the end of the input counts as an empty one."""
    try:
        return input(text).strip()
    except EOFError:
        return ""


def dim(text: str) -> str:
    return f"\x1b[2m{text}\x1b[0m" if sys.stdout.isatty() else text


if __name__ == "__main__":
    question = " ".join(sys.argv[1:]) or prompt("Ask: ")
    while question:
        asyncio.run(ask(question))
        question = prompt("\nAsk: ") if sys.stdin.isatty() else ""
