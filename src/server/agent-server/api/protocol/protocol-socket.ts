import type { WebSocket } from 'ws';
import { z } from 'zod';
import {
  type ProtocolCommand,
  ProtocolFilter,
  type ProtocolResponse,
} from '../../../../contract/agent-server/protocol.ts';
import type { Logger } from '../../../logger.ts';
import { findCurrentPlace, hasReached, type ThreadPlace, type ThreadSource } from '../follow-thread.ts';
import { parseParams } from './command-params.ts';
import { parseCommand } from './parse-command.ts';
import type { ProjectedEvent } from './projected-event.ts';
import { errorResponse, ProtocolError } from './protocol-error.ts';
import { findSeqBeforeLastRun, readProtocolFeed } from './protocol-feed.ts';
import { matches } from './protocol-filter.ts';

interface Subscription {
  readonly id: string;
  readonly filter: ProtocolFilter;
  /** The number up to which the events for this subscription have been sent. */
  seen: number;
  /**
   * The thread's position when the subscription was requested. The request is answered after the events up
   * to this position.
   */
  readonly begin: ThreadPlace;
  /** Resolves when the subscription is answered. */
  readonly begun: PromiseWithResolvers<void>;
  /** The number of past events that were sent before the answer. */
  replayed: number;
  isBegun: boolean;
}

export interface ProtocolSocketOptions {
  readonly source: ThreadSource;
  readonly threadId: string;
  /** Executes commands other than subscriptions. @throws ProtocolError, HttpError */
  execute(command: ProtocolCommand): Promise<ProtocolResponse>;
  readonly logger: Logger;
}

/**
 * Serves commands and subscriptions of the v2 protocol on a WebSocket. All events are sent in one order,
 * each once. A new subscription is answered after its past events, because clients expect no earlier events
 * after the end of a run (SDK 1.15).
 */
export class ProtocolSocket {
  readonly #options: ProtocolSocketOptions;
  readonly #socket: WebSocket;
  readonly #subscriptions = new Map<string, Subscription>();
  #nextId = 1;
  #stop = new AbortController();
  #feeding: Promise<void> = Promise.resolve();

  constructor(socket: WebSocket, options: ProtocolSocketOptions) {
    this.#socket = socket;
    this.#options = options;
  }

  /** Serves the socket until it closes. */
  serve(): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.on('message', (data) => void this.#receive(String(data)));
      this.#socket.once('close', () => {
        this.#stop.abort();
        resolve();
      });
    });
  }

  async #receive(text: string): Promise<void> {
    const command = parseCommand(text);
    if ('type' in command) return this.#send(command);
    try {
      await this.#send(await this.#execute(command));
    } catch (error) {
      const known = errorResponse(command.id, error);
      if (known === undefined) this.#options.logger.error({ err: error }, 'protocol command failed');
      await this.#send(
        known ?? { type: 'error', id: command.id, error: 'unknown_error', message: 'Internal error.' },
      );
    }
  }

  async #execute(command: ProtocolCommand): Promise<ProtocolResponse> {
    const params = command.params ?? {};
    const success = (result: Record<string, unknown>) => ({
      type: 'success' as const,
      id: command.id,
      result,
    });
    switch (command.method) {
      case 'subscription.subscribe':
        return success(await this.#subscribe(parseParams(ProtocolFilter, params)));
      case 'subscription.unsubscribe': {
        const { subscription_id } = parseParams(Unsubscribe, params);
        if (!this.#subscriptions.delete(subscription_id)) {
          throw new ProtocolError('no_such_subscription', `Subscription '${subscription_id}' not found.`);
        }
        return success({});
      }
      case 'subscription.reconnect': {
        const { last_event_id } = parseParams(Reconnect, params);
        // The objects are replaced, because a batch that is being sent may still update the old ones.
        for (const subscription of [...this.#subscriptions.values()]) {
          const seen = last_event_id ?? subscription.seen;
          this.#subscriptions.set(subscription.id, { ...subscription, seen });
        }
        this.#feedAgain();
        return success({ restored: true });
      }
      default:
        return this.#options.execute(command);
    }
  }

  /** Adds a subscription. @returns the result of the command, once the past events have been sent. */
  async #subscribe(filter: ProtocolFilter) {
    const id = `sub-${this.#nextId++}`;
    const { source, threadId } = this.#options;
    const [seen, begin] = await Promise.all([
      findSeqBeforeLastRun(source, threadId),
      findCurrentPlace(source, threadId),
    ]);
    const begun = Promise.withResolvers<void>();
    // If the newest run has no events yet, there is nothing to replay, so the subscription has begun.
    const isBegun = begin.after === 0;
    if (isBegun) begun.resolve();
    this.#subscriptions.set(id, { id, filter, seen, begin, begun, isBegun, replayed: 0 });
    this.#feedAgain();
    await begun.promise;
    return { subscription_id: id, replayed_events: this.#subscriptions.get(id)?.replayed ?? 0 };
  }

  /**
   * Restarts the feed from the subscription that is furthest behind. The others do not receive events twice.
   */
  #feedAgain(): void {
    this.#stop.abort();
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    this.#feeding = this.#feeding.then(() => this.#feed(signal));
  }

  async #feed(signal: AbortSignal): Promise<void> {
    const { source, threadId, logger } = this.#options;
    const subscriptions = [...this.#subscriptions.values()];
    if (subscriptions.length === 0) return;
    const isWanted = ({ id, filter, seen }: Subscription, event: ProjectedEvent, seq: number) =>
      seq > seen && this.#subscriptions.has(id) && matches(filter, event);
    const feed = readProtocolFeed(source, threadId, {
      wants: (event, seq) => {
        const wanting = subscriptions.filter((one) => isWanted(one, event, seq));
        for (const one of wanting) if (!one.isBegun) one.replayed++;
        return wanting.length > 0;
      },
      since: Math.min(...subscriptions.map(({ seen }) => seen)),
      signal,
    });
    try {
      for await (const { events, place } of feed) {
        for (const event of events.slice(0, -1)) this.#socket.send(JSON.stringify(event));
        const last = events.at(-1);
        // The next batch is read once this one has been sent.
        if (last !== undefined) await this.#send(last);
        for (const subscription of subscriptions) {
          subscription.seen = Math.max(subscription.seen, last?.seq ?? 0);
          if (!hasReached(place, subscription.begin)) continue;
          subscription.isBegun = true;
          subscription.begun.resolve();
        }
      }
      // If a feed ends without being aborted, the thread was deleted.
      if (!signal.aborted) for (const { begun } of subscriptions) begun.resolve();
    } catch (error) {
      logger.error({ err: error }, 'protocol subscription failed');
      this.#socket.close(1011);
    }
  }

  #send(message: object): Promise<void> {
    return new Promise((resolve) => this.#socket.send(JSON.stringify(message), () => resolve()));
  }
}

const Unsubscribe = z.looseObject({ subscription_id: z.string() });
const Reconnect = z.looseObject({ last_event_id: z.coerce.number().int().min(0).optional() });
