import type { Client } from '../../../client/client.ts';
import type { Change } from '../../../contract/harbor.ts';
import type { PlatformConnection } from '../../connections/connection.ts';
import { ThrottledReading } from '../throttled-reading.ts';
import type { Span, TraceEvent } from './messages.ts';
import { readFirstSpans, readSpans, type SpansPage } from './read-spans.ts';
import { FIRST_PAGE, PAGE_SIZE } from './span-pages.ts';

interface TraceFollowerParts {
  readonly connect: () => Promise<Client>;
  /** The connection, which announces changes; undefined if it has been removed. */
  readonly connection: Pick<PlatformConnection, 'onDidChange' | 'onDidChangeState'> | undefined;
  readonly traceId: string;
  readonly onError: (error: unknown) => void;
}

/**
 * Reads a trace and sends its spans, then the changes while it is running. Keeps the spans for a webview that
 * was hidden.
 */
export class TraceFollower {
  readonly #parts: TraceFollowerParts;
  readonly #spans = new Map<string, Span>();
  readonly #closed = new AbortController();
  readonly #reading: ThrottledReading;
  readonly #subscriptions: { dispose(): unknown }[];
  #send: ((events: readonly TraceEvent[]) => void) | undefined;
  #sessionId: string | undefined;

  constructor(parts: TraceFollowerParts) {
    this.#parts = parts;
    const { connection, onError } = parts;
    this.#reading = new ThrottledReading({ read: () => this.#readAll(), onError });
    this.#subscriptions =
      connection === undefined
        ? []
        : [
            connection.onDidChange((changes) => this.#follow(changes)),
            connection.onDidChangeState(({ status }) => {
              if (status === 'ready') this.#readSoon();
            }),
          ];
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /**
   * Sends the known spans to a webview that has just loaded, then reads the trace. From then on changes are
   * sent.
   */
  async play(send: (events: readonly TraceEvent[]) => void): Promise<void> {
    this.#send = send;
    const known = [...this.#spans.values()];
    this.#sendSpans(known);
    if (known.length > 0) send([{ type: 'loaded' }]);
    await this.#reading.readNow();
  }

  dispose(): void {
    this.#closed.abort();
    this.#reading.dispose();
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#send = undefined;
  }

  #follow(changes: readonly Change[]): void {
    const concerns = changes.some(
      // The feed reports feedback without saying which run it belongs to.
      ({ resource, id }) => resource === 'feedback' || (resource === 'trace' && id === this.#parts.traceId),
    );
    if (concerns) this.#readSoon();
  }

  #readSoon(): void {
    if (this.#send !== undefined) this.#reading.readSoon();
  }

  async #readAll(): Promise<number> {
    const { connect, traceId } = this.#parts;
    const { signal } = this.#closed;
    try {
      const client = await connect();
      const started = performance.now();
      if (this.#spans.size === 0) this.#take(await readFirstSpans(client, traceId, signal));
      for await (const page of readSpans(client, traceId, signal)) this.#take(page);
      const readMs = performance.now() - started;
      this.#send?.([{ type: 'loaded' }, { type: 'changed' }]);
      return readMs;
    } catch (error) {
      if (!signal.aborted) throw error;
      return 0;
    }
  }

  #take({ spans, sessionId }: SpansPage): void {
    this.#sessionId ??= sessionId;
    this.#sendSpans(spans.filter((span) => this.#isNews(span)));
  }

  #isNews(span: Span): boolean {
    const before = this.#spans.get(span.id);
    this.#spans.set(span.id, span);
    return before === undefined || JSON.stringify(before) !== JSON.stringify(span);
  }

  #sendSpans(spans: readonly Span[]): void {
    for (let at = 0; at < spans.length; ) {
      const size = at === 0 ? FIRST_PAGE : PAGE_SIZE;
      this.#send?.([{ type: 'spans', spans: spans.slice(at, at + size) }]);
      at += size;
    }
  }
}
