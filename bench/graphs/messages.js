import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk } from '@langchain/core/messages';
import { ChatGenerationChunk } from '@langchain/core/outputs';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

const tokens = Array.from({ length: 200 }, (_, index) => `token${index + 1} `);

/** A model that answers with 200 tokens as fast as they are consumed, so that only their delivery is measured. */
class TwoHundredTokens extends BaseChatModel {
  _llmType() {
    return 'two_hundred_tokens';
  }

  async _generate() {
    const text = tokens.join('');
    return { generations: [{ text, message: new AIMessage(text) }] };
  }

  async *_streamResponseChunks(_messages, _options, runManager) {
    for (const text of tokens) {
      const chunk = new ChatGenerationChunk({ text, message: new AIMessageChunk({ content: text }) });
      yield chunk;
      await runManager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

const model = new TwoHundredTokens({});

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, 'answer')
  .addEdge('answer', END)
  .compile();
