import { setTimeout as pause } from 'node:timers/promises';
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import type { BaseLanguageModelInput } from '@langchain/core/language_models/base';
import { BaseChatModel, type BindToolsInput } from '@langchain/core/language_models/chat_models';
import { AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import type { Runnable } from '@langchain/core/runnables';

/**
 * Stands in for a model until you have one: it needs no network and no key. It calls the tool `current_time` when it
 * is asked about the time, tells what a tool has answered, and repeats everything else.
 */
export class OfflineModel extends BaseChatModel {
  override _llmType(): string {
    return 'offline';
  }

  /** It knows its one tool by heart; a real model would be sent what is given here. */
  override bindTools(_tools: BindToolsInput[]): Runnable<BaseLanguageModelInput, AIMessageChunk> {
    return this;
  }

  override async _generate(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    let answer: ChatGenerationChunk | undefined;
    for await (const chunk of this._streamResponseChunks(messages, options, runManager)) {
      answer = answer?.concat(chunk) ?? chunk;
    }
    return { generations: answer === undefined ? [] : [answer] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for (const message of reply(messages)) {
      const chunk = new ChatGenerationChunk({ message, text: message.text });
      yield chunk;
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk });
      // So that you can watch the answer come.
      await pause(20);
    }
  }
}

function reply(messages: BaseMessage[]): AIMessageChunk[] {
  const last = messages.at(-1);
  const said = last?.text ?? '';
  if (last?.type === 'tool') return words(`It is ${said}.`);
  if (/\btime\b/i.test(said)) {
    const id = `call_${messages.length}`;
    return [
      new AIMessageChunk({
        content: '',
        tool_call_chunks: [{ type: 'tool_call_chunk', name: 'current_time', args: '{}', id, index: 0 }],
      }),
    ];
  }
  return words(`You said: ${said} (I am only a stand-in; put a model of your own into graph.ts.)`);
}

function words(text: string): AIMessageChunk[] {
  return (text.match(/\s*\S+/g) ?? []).map((content) => new AIMessageChunk({ content }));
}
