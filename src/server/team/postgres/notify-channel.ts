import { Client, type ClientConfig } from 'pg';
import { beginSession } from './begin-session.ts';
import { endConnection } from './end-connection.ts';

const CHANNEL = 'agent_harbor';
const RECONNECT_MS = 1_000;
/** How long the connection may be without an answer before it is replaced. */
const ANSWER_MS = 10_000;

interface NotifyChannelOptions {
  readonly config: ClientConfig;
  /** Called with each message of any server. */
  onNotified(payload: string): void;
}

/**
 * A channel that all servers of a database listen to. Messages are lost while the database cannot be reached.
 */
export class NotifyChannel {
  readonly #options: NotifyChannelOptions;
  #client: Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(options: NotifyChannelOptions) {
    this.#options = options;
  }

  /** Listens, and reconnects whenever the connection has ended. */
  static async open(options: NotifyChannelOptions): Promise<NotifyChannel> {
    const channel = new NotifyChannel(options);
    await channel.#connect();
    return channel;
  }

  async notify(payload: string): Promise<void> {
    // A lost message is not resent, because the other servers notice the change when they check.
    await this.#client?.query('select pg_notify($1, $2)', [CHANNEL, payload]).catch(() => {});
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.#client !== undefined) await endConnection(this.#client);
  }

  async #connect(): Promise<void> {
    const client = new Client({ ...this.#options.config, pipeline: true, query_timeout: ANSWER_MS });
    const lose = () => {
      // An unusable connection may end after the next one has started listening.
      if (this.#client !== client) return;
      this.#client = undefined;
      this.#connectLater();
    };
    // A failed connection also emits `end`.
    client.on('error', () => {}).once('end', lose);
    client.on('notification', ({ payload = '' }) => this.#options.onNotified(payload));
    try {
      await beginSession(client);
      await client.query(`listen ${CHANNEL}`);
    } catch {
      void endConnection(client);
      return this.#connectLater();
    }
    if (this.#isClosed) void endConnection(client);
    else this.#client = client;
  }

  #connectLater(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#connect(), RECONNECT_MS).unref();
  }
}
