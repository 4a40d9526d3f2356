import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessageChunk } from '@langchain/core/messages';
import { ChatGenerationChunk } from '@langchain/core/outputs';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

/** A model behind HTTP, whose tokens are read as the SDKs of model providers read them. */
class StreamedModel extends BaseChatModel {
  _llmType() {
    return 'streamed_model';
  }

  async _generate(messages, options, runManager) {
    let whole;
    for await (const chunk of this._streamResponseChunks(messages, options, runManager)) {
      whole = whole === undefined ? chunk : whole.concat(chunk);
    }
    return { generations: [whole] };
  }

  async *_streamResponseChunks(messages, _options, runManager) {
    const response = await fetch(`${process.env.MODEL_ORIGIN}/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ pauseMs: Number(messages.at(-1).content) }),
    });
    let unread = '';
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      const lines = `${unread}${piece}`.split('\n');
      unread = lines.pop();
      for (const line of lines) {
        const { text } = JSON.parse(line);
        const chunk = new ChatGenerationChunk({ text, message: new AIMessageChunk({ content: text }) });
        yield chunk;
        await runManager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
      }
    }
  }
}

const model = new StreamedModel({});

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, 'answer')
  .addEdge('answer', END)
  .compile();
