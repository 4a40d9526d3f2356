import type { WebSocket } from 'ws';
import { z } from 'zod';
import {
  ProtocolCommand,
  ProtocolFilter,
  type ProtocolResponse,
} from '../../../contract/agent-server/protocol.ts';
import type { Logger } from '../../logger.ts';
import type { ThreadSource } from '../threads/follow-thread.ts';
import { errorResponse, ProtocolError } from './protocol-error.ts';
import { protocolFeed } from './protocol-feed.ts';

interface Subscription {
  readonly filter: ProtocolFilter;
  stop: AbortController;
  /** The last event it was sent. */
  seen: number | undefined;
}

export interface ProtocolSocketOptions {
  readonly source: ThreadSource;
  readonly threadId: string;
  /** Carries out what is not about the socket's own subscriptions. @throws ProtocolError, HttpError */
  execute(command: ProtocolCommand): Promise<ProtocolResponse>;
  readonly logger: Logger;
}

/** One WebSocket of the v2 protocol: commands in any number, and the subscriptions it has asked for. */
export class ProtocolSocket {
  readonly #options: ProtocolSocketOptions;
  readonly #socket: WebSocket;
  readonly #subscriptions = new Map<string, Subscription>();
  #next = 1;

  constructor(socket: WebSocket, options: ProtocolSocketOptions) {
    this.#socket = socket;
    this.#options = options;
  }

  /** Serves the socket until it closes. */
  serve(): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.on('message', (data) => void this.#receive(String(data)));
      this.#socket.once('close', () => {
        for (const { stop } of this.#subscriptions.values()) stop.abort();
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
      case 'subscription.subscribe': {
        const filter = parsed(ProtocolFilter, params);
        const id = `sub-${this.#next++}`;
        const subscription = { filter, stop: new AbortController(), seen: undefined };
        this.#subscriptions.set(id, subscription);
        // Its answer comes first.
        setImmediate(() => void this.#feed(subscription));
        return success({ subscription_id: id });
      }
      case 'subscription.unsubscribe': {
        const { subscription_id } = parsed(Unsubscribe, params);
        const subscription = this.#subscriptions.get(subscription_id);
        if (subscription === undefined) {
          throw new ProtocolError('no_such_subscription', `There is no subscription '${subscription_id}'.`);
        }
        subscription.stop.abort();
        this.#subscriptions.delete(subscription_id);
        return success({});
      }
      case 'subscription.reconnect': {
        const { last_event_id } = parsed(Reconnect, params);
        for (const subscription of this.#subscriptions.values()) {
          subscription.stop.abort();
          subscription.stop = new AbortController();
          subscription.seen = last_event_id ?? subscription.seen;
          void this.#feed(subscription);
        }
        return success({ restored: true });
      }
      default:
        return this.#options.execute(command);
    }
  }

  async #feed(subscription: Subscription): Promise<void> {
    const { source, threadId, logger } = this.#options;
    const { filter, stop, seen } = subscription;
    try {
      for await (const batch of protocolFeed(source, threadId, {
        filter,
        since: seen,
        signal: stop.signal,
      })) {
        for (const event of batch.slice(0, -1)) this.#socket.send(JSON.stringify(event));
        const last = batch.at(-1);
        // At the reader's pace: the next batch is read when this one has left.
        if (last !== undefined) await this.#send(last);
        subscription.seen = last?.seq ?? subscription.seen;
      }
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

/** A command, or what a malformed one is answered with. */
export function parseCommand(text: string): ProtocolCommand | ProtocolResponse {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { type: 'error', id: null, error: 'invalid_argument', message: 'A command must be JSON.' };
  }
  return toCommand(value);
}

/** A command, or what a malformed one is answered with, under its id when it has one. */
export function toCommand(value: unknown): ProtocolCommand | (ProtocolResponse & { type: 'error' }) {
  const command = ProtocolCommand.safeParse(value);
  if (command.success) return command.data;
  const id = z.object({ id: z.int().min(0) }).safeParse(value).data?.id ?? null;
  const [issue] = command.error.issues;
  const where = issue?.path.join('.') ?? '';
  const message = `A command is {id, method, params}: ${where}: ${issue?.message ?? 'not valid'}`;
  return { type: 'error', id, error: 'invalid_argument', message };
}

function parsed<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const result = schema.safeParse(params);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new ProtocolError('invalid_argument', `params.${issue?.path.join('.')}: ${issue?.message}`);
}
