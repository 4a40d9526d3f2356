import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import type { BaseLanguageModelInput } from '@langchain/core/language_models/base';
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BaseChatModelParams,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models';
import { AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import type { Runnable } from '@langchain/core/runnables';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { keyWordsOf } from '../corpus/words.ts';
import { questionOf, searchesOf } from '../turn.ts';
import { extractAnswer } from './extract.ts';
import { searchQuery } from './search-query.ts';

export interface ExtractiveChatModelFields extends BaseChatModelParams {
  /** Pause between two tokens, in milliseconds. A model this small would else be done before a reader looks up. */
  tokenDelayMs?: number;
}

export interface ExtractiveCallOptions extends BaseChatModelCallOptions {
  tools?: ReturnType<typeof convertToOpenAITool>[];
}

/**
 * A chat model that needs no network and no weights, and answers the same way every time: it calls the search tool
 * it is given with the key words of the question, then quotes what the tool brought back.
 * It invents nothing, since every word of an answer comes from a document.
 */
export class ExtractiveChatModel extends BaseChatModel<ExtractiveCallOptions> {
  readonly #tokenDelayMs: number;

  constructor(fields: ExtractiveChatModelFields = {}) {
    super(fields);
    this.#tokenDelayMs = fields.tokenDelayMs ?? 0;
  }

  static override lc_name(): string {
    return 'ExtractiveChatModel';
  }

  override _llmType(): string {
    return 'extractive';
  }

  override getLsParams(options: this['ParsedCallOptions']) {
    return { ...super.getLsParams(options), ls_provider: 'docs-agent', ls_model_name: 'extractive' };
  }

  /** Binds tools; the first one is called, with one argument named `query`. */
  override bindTools(
    tools: BindToolsInput[],
    options: Partial<ExtractiveCallOptions> = {},
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, ExtractiveCallOptions> {
    return this.withConfig({ ...options, tools: tools.map((tool) => convertToOpenAITool(tool)) });
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for (const chunk of this.#chunks(messages, options)) {
      yield chunk;
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk });
      // Without a pause, too, others get their turn after each token, as they do when tokens come over the network.
      await (this.#tokenDelayMs > 0
        ? pause(this.#tokenDelayMs, undefined, { signal: options.signal })
        : nextTurn());
    }
  }

  override async _generate(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    let whole: ChatGenerationChunk | undefined;
    for await (const chunk of this._streamResponseChunks(messages, options, runManager)) {
      whole = whole ? whole.concat(chunk) : chunk;
    }
    return { generations: whole ? [whole] : [] };
  }

  *#chunks(messages: BaseMessage[], options: this['ParsedCallOptions']): Generator<ChatGenerationChunk> {
    let outputTokens = 0;
    for (const chunk of this.#reply(messages, options)) {
      outputTokens += 1;
      yield chunk;
    }
    yield usageChunk(messages.flatMap((message) => tokensOf(message.text)).length, outputTokens);
  }

  *#reply(messages: BaseMessage[], options: this['ParsedCallOptions']): Generator<ChatGenerationChunk> {
    const tool = options.tool_choice === 'none' ? undefined : options.tools?.[0];
    const question = questionOf(messages);
    const searches = searchesOf(messages);

    if (tool && searches.length === 0 && keyWordsOf(question).length > 0) {
      yield* toolCallChunks(tool.function.name, `call_${messages.length}`, searchQuery(messages));
    } else if (searches.length > 0) {
      const query = searches.map((search) => search.query).join(' ');
      yield* textChunks(
        extractAnswer(
          query,
          searches.flatMap((search) => search.passages),
        ),
      );
    } else {
      yield* textChunks('Ask me something about the documents, and I will quote what they say.');
    }
  }
}

/** A token is a word with the white space before it. */
function tokensOf(text: string): string[] {
  return text.match(/\s*\S+/g) ?? [];
}

function* textChunks(text: string): Generator<ChatGenerationChunk> {
  for (const token of tokensOf(text)) {
    yield new ChatGenerationChunk({ text: token, message: new AIMessageChunk({ content: token }) });
  }
}

/** A tool call as providers stream it: the name first, then its arguments' JSON bit by bit. */
function* toolCallChunks(name: string, id: string, query: string): Generator<ChatGenerationChunk> {
  const json = JSON.stringify({ query });
  for (const part of [{ name, id, args: '' }, ...tokensOf(json).map((args) => ({ args }))]) {
    const message = new AIMessageChunk({
      content: '',
      tool_call_chunks: [{ ...part, index: 0, type: 'tool_call_chunk' }],
    });
    yield new ChatGenerationChunk({ text: '', message });
  }
}

function usageChunk(inputTokens: number, outputTokens: number): ChatGenerationChunk {
  const message = new AIMessageChunk({
    content: '',
    usage_metadata: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
    },
    response_metadata: { model_name: 'extractive', model_provider: 'docs-agent' },
  });
  return new ChatGenerationChunk({ text: '', message });
}
