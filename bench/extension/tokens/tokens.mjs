import { setTimeout as delay } from 'node:timers/promises';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk } from '@langchain/core/messages';
import { ChatGenerationChunk } from '@langchain/core/outputs';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

const TOKENS = 40;

/** A model in which each token is the time at which it is produced, in milliseconds. */
class TimeTeller extends BaseChatModel {
  _llmType() {
    return 'time_teller';
  }

  async _generate() {
    return { generations: [{ text: '', message: new AIMessage('') }] };
  }

  async *_streamResponseChunks(_messages, _options, runManager) {
    for (let token = 0; token < TOKENS; token++) {
      await delay(53);
      const text = `${Date.now()} `;
      const chunk = new ChatGenerationChunk({ text, message: new AIMessageChunk({ content: text }) });
      yield chunk;
      await runManager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

const model = new TimeTeller({});

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, 'answer')
  .addEdge('answer', END)
  .compile();
