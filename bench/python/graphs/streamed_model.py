"""A model behind HTTP, whose tokens are read as the SDKs of model providers read them."""

import json
import os

import httpx
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langgraph.graph import START, MessagesState, StateGraph

client = httpx.AsyncClient(base_url=os.environ["MODEL_ORIGIN"])


class StreamedModel(BaseChatModel):
    @property
    def _llm_type(self):
        return "streamed_model"

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        raise NotImplementedError("The model is only streamed.")

    async def _agenerate(self, messages, stop=None, run_manager=None, **kwargs):
        chunks = [chunk async for chunk in self._astream(messages, stop, run_manager)]
        return ChatResult(generations=[sum(chunks[1:], chunks[0])])

    async def _astream(self, messages, stop=None, run_manager=None, **kwargs):
        asked = {"pauseMs": float(messages[-1].content)}
        async with client.stream("POST", "/tokens", json=asked) as response:
            async for line in response.aiter_lines():
                text = json.loads(line)["text"]
                chunk = ChatGenerationChunk(message=AIMessageChunk(content=text))
                if run_manager is not None:
                    await run_manager.on_llm_new_token(text, chunk=chunk)
                yield chunk


model = StreamedModel()


async def answer(state: MessagesState):
    return {"messages": [await model.ainvoke(state["messages"])]}


graph = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer").compile()
