"""A chat model that needs no network and no weights, and answers the same way every time."""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.base import LangSmithParams
from langchain_core.language_models.chat_models import generate_from_stream
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool

from docs_agent.corpus.words import key_words_of
from docs_agent.models.extract import extract_answer
from docs_agent.models.search_query import search_query
from docs_agent.turn import question_of, searches_of


class ExtractiveChatModel(BaseChatModel):
    """
    Calls the search tool it is given with the key words of the question, then quotes what the tool brought back. It
    invents nothing, since every word of an answer stands in a document.
    """

    token_delay_ms: int = 0
    """Pause between two tokens. A model this small would else be done before a reader looks up."""

    @property
    def _llm_type(self) -> str:
        return "extractive"

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> LangSmithParams:
        params = super()._get_ls_params(stop, **kwargs)
        return {**params, "ls_provider": "docs-agent", "ls_model_name": "extractive"}

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, Any]:
        """Binds tools; the first one is called, with one argument named `query`."""
        return self.bind(tools=[convert_to_openai_tool(each) for each in tools], **kwargs)

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
        for chunk in _chunks(messages, **kwargs):
            if run_manager is not None:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk
            time.sleep(self.token_delay_ms / 1000)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in _chunks(messages, **kwargs):
            if run_manager is not None:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk
            # Without a pause, too, others get their turn after each token, as they do when tokens come over the network.
            await asyncio.sleep(self.token_delay_ms / 1000)


def _chunks(
    messages: list[BaseMessage], tools: Sequence[dict[str, Any]] = (), tool_choice: str | None = None, **_: Any
) -> Iterator[ChatGenerationChunk]:
    output_tokens = 0
    for message in _message_chunks(messages, tools if tool_choice != "none" else ()):
        output_tokens += 1
        yield ChatGenerationChunk(message=message)
    input_tokens = sum(len(_tokens_of(str(message.text))) for message in messages)
    yield ChatGenerationChunk(
        message=AIMessageChunk(
            content="",
            usage_metadata=UsageMetadata(
                input_tokens=input_tokens,
                output_tokens=output_tokens,
                total_tokens=input_tokens + output_tokens,
            ),
            response_metadata={"model_name": "extractive", "model_provider": "docs-agent"},
        )
    )


def _message_chunks(messages: list[Any], tools: Sequence[dict[str, Any]]) -> Iterator[AIMessageChunk]:
    searches = searches_of(messages)
    if tools and not searches and key_words_of(question_of(messages)):
        yield from _tool_call(tools[0]["function"]["name"], f"call_{len(messages)}", search_query(messages))
    elif searches:
        query = " ".join(search["query"] for search in searches)
        passages = [passage for search in searches for passage in search["passages"]]
        yield from _text(extract_answer(query, passages))
    else:
        yield from _text("Ask me something about the documents, and I will quote what they say.")


def _tokens_of(text: str) -> list[str]:
    """A token is a word with the white space before it."""
    return re.findall(r"\s*\S+", text)


def _text(text: str) -> Iterator[AIMessageChunk]:
    for token in _tokens_of(text):
        yield AIMessageChunk(content=token)


def _tool_call(name: str, call_id: str, query: str) -> Iterator[AIMessageChunk]:
    """A tool call as providers stream it: the name first, then its arguments' JSON bit by bit."""
    yield AIMessageChunk(content="", tool_call_chunks=[tool_call_chunk(name=name, id=call_id, args="", index=0)])
    for part in _tokens_of(json.dumps({"query": query})):
        yield AIMessageChunk(content="", tool_call_chunks=[tool_call_chunk(args=part, index=0)])
