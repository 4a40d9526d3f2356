import { isRecord } from '../langgraph-types.ts';
import type { Exchanges } from './exchanges.ts';
import { viewWith } from './object-view.ts';
import { currentPlace, placeOf } from './place.ts';
import { ReplacedProperties } from './replaced-properties.ts';
import type { RunExchanges } from './run-exchanges.ts';

/** LangGraph's handlers that stream messages. */
const STREAMING: ReadonlySet<unknown> = new Set(['StreamMessagesHandler', 'StreamProtocolMessagesHandler']);

/**
 * Gives messages IDs that are the same in a replay. LangChain derives the IDs of a model's messages from its
 * span. When messages are streamed, LangGraph derives the IDs of messages without one, such as answers of
 * tools, from the span of their node. A replay cannot reuse these IDs, because the IDs of spans must be
 * unique.
 */
export class MessageIds {
  readonly #exchanges: Exchanges;
  readonly #replaced = new ReplacedProperties();

  constructor(exchanges: Exchanges) {
    this.#exchanges = exchanges;
  }

  /**
   * Starts to replace IDs.
   * @param module `@langchain/core/callbacks/manager` of the user's LangGraph.
   */
  replace({ CallbackManager: manager }: Readonly<Record<string, unknown>>): void {
    if (typeof manager !== 'function') return;
    const { prototype }: { prototype: object } = manager;
    if (this.#replaced.has(prototype, 'handleChatModelStart')) return;
    const start: unknown = Reflect.get(prototype, 'handleChatModelStart');
    const startChain: unknown = Reflect.get(prototype, 'handleChainStart');
    if (typeof start !== 'function' || typeof startChain !== 'function') return;
    const exchanges = this.#exchanges;
    this.#replaced.replace(
      prototype,
      'handleChatModelStart',
      async function (this: object, ...args: unknown[]) {
        const managers: unknown = await Reflect.apply(start, this, args);
        const run = exchanges.current;
        if (run === undefined || !Array.isArray(managers)) return managers;
        return managers.map((one: unknown) =>
          // The model only reads the ID of its manager.
          isRecord(one) ? viewWith(one, { runId: run.randomUuid('message', currentPlace()) }) : one,
        );
      },
    );
    this.#replaced.replace(prototype, 'handleChainStart', function (this: object, ...args: unknown[]) {
      const run = exchanges.current;
      const handlers: unknown = Reflect.get(this, 'handlers');
      if (run !== undefined && Array.isArray(handlers)) {
        for (const handler of handlers) {
          if (isRecord(handler) && STREAMING.has(handler.name)) renameOutputs(handler, run);
        }
      }
      return Reflect.apply(startChain, this, args);
    });
  }

  /** Lets messages have their original IDs again. */
  restore(): void {
    this.#replaced.restore();
  }
}

/** The stream handlers that have been changed; each belongs to one run. */
const renaming = new WeakSet<object>();

/** @param handler the handler of a stream, which derives IDs of messages from the span's ID that it gets */
function renameOutputs(handler: object, run: RunExchanges): void {
  if (renaming.has(handler)) return;
  renaming.add(handler);
  const ids = new Map<unknown, string>();
  wrap(handler, 'handleChainStart', (args) => {
    const [, , spanId, , , metadata, , name] = args;
    if (isRecord(metadata) && name === metadata.langgraph_node) {
      ids.set(spanId, run.randomUuid('output', placeOf(metadata)));
    }
    return args.with(2, ids.get(spanId) ?? spanId);
  });
  for (const method of ['handleChainEnd', 'handleChainError']) {
    wrap(handler, method, (args) => {
      const [, spanId] = args;
      const id = ids.get(spanId) ?? spanId;
      ids.delete(spanId);
      return args.with(1, id);
    });
  }
}

/** @param change changes the arguments of the method */
function wrap(handler: object, method: string, change: (args: unknown[]) => unknown[]): void {
  const original: unknown = Reflect.get(handler, method);
  if (typeof original !== 'function') return;
  Reflect.set(handler, method, (...args: unknown[]): unknown =>
    Reflect.apply(original, handler, change(args)),
  );
}
