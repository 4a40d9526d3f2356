"""A model that answers with 200 tokens as fast as they are consumed, so that only their delivery is measured."""

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.graph import START, MessagesState, StateGraph

TOKENS = [f"token{number + 1} " for number in range(200)]


class TwoHundredTokens(BaseChatModel):
    @property
    def _llm_type(self):
        return "two_hundred_tokens"

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        return ChatResult(generations=[ChatGeneration(message=AIMessage("".join(TOKENS)))])

    async def _astream(self, messages, stop=None, run_manager=None, **kwargs):
        for text in TOKENS:
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=text))
            if run_manager is not None:
                await run_manager.on_llm_new_token(text, chunk=chunk)
            yield chunk


model = TwoHundredTokens()


async def answer(state: MessagesState):
    return {"messages": [await model.ainvoke(state["messages"])]}


graph = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer").compile()
