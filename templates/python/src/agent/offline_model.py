"""Stands in for a model until you have one: it needs no network and no key."""

import re
import time
from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.chat_models import generate_from_stream
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable


class OfflineModel(BaseChatModel):
    """
    Calls the tool `current_time` when it is asked about the time, tells what a tool has answered, and repeats
    everything else.
    """

    @property
    def _llm_type(self) -> str:
        return "offline"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, Any]:
        """It knows its one tool by heart; a real model would be sent what is given here."""
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return generate_from_stream(self._stream(messages, stop, run_manager, **kwargs))

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for message in _reply(messages):
            chunk = ChatGenerationChunk(message=message)
            if run_manager is not None:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk
            # So that you can watch the answer come.
            time.sleep(0.02)


def _reply(messages: list[BaseMessage]) -> Iterator[AIMessageChunk]:
    last = messages[-1]
    if last.type == "tool":
        yield from _words(f"It is {last.text}.")
    elif re.search(r"\btime\b", str(last.text), re.IGNORECASE):
        call = tool_call_chunk(name="current_time", args="{}", id=f"call_{len(messages)}", index=0)
        yield AIMessageChunk(content="", tool_call_chunks=[call])
    else:
        yield from _words(f"You said: {last.text} (I am only a stand-in; put a model of your own into graph.py.)")


def _words(text: str) -> Iterator[AIMessageChunk]:
    for word in re.findall(r"\s*\S+", text):
        yield AIMessageChunk(content=word)
