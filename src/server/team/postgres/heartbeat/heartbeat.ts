import { Client, type ClientConfig } from 'pg';
import { settled } from '../../../../process/settled.ts';
import { beginSession } from '../begin-session.ts';
import { endConnection } from '../end-connection.ts';
import { isUnreachable } from '../error-kinds.ts';
import { ResponseTimeoutError } from '../response-timeouts.ts';
import { connectionName, NODE_LOCKS, SILENCE_MS, takeOver } from '../take-over.ts';
import { withTimeout } from '../with-timeout.ts';
import type { HeartbeatNews } from './heartbeat-protocol.ts';
import type { LastHeartbeat } from './last-heartbeat.ts';
import type { MainThread } from './main-thread.ts';

/** How often a server sends its heartbeat. */
const BEAT_MS = 1_000;
/**
 * How long the main thread may do nothing before it counts as stuck, so that others continue its runs. The
 * limit is far longer than the delays on a busy machine (over seven seconds were seen at a load of 30),
 * because repeating the work elsewhere would make such a machine even slower.
 */
const STUCK_MS = 20_000;
/** A main thread that has been silent for this long is too busy to continue the runs of others. */
const BUSY_MS = 3_000;
/**
 * How long a connection may take to answer a heartbeat, and to take over from others, before another
 * connection is made. The times are short, so that a server that has only lost its connections is heard in
 * time over the next one.
 */
const ANSWER_MS = 3_000;
const TAKE_OVER_MS = 5_000;

interface HeartbeatOptions {
  readonly config: ClientConfig;
  readonly lanes: number;
  readonly main: MainThread;
  readonly heard: LastHeartbeat;
  tell(news: HeartbeatNews): void;
}

/**
 * Reports at intervals that a server is working, and holds a lock as long as its process lives. Another
 * server takes over the work of a server that has been silent for too long, sooner if its lock is free; later
 * writes of the silent server are refused.
 */
export class Heartbeat {
  readonly #number: number;
  readonly #options: HeartbeatOptions;
  #client: Client | undefined;
  /**
   * Connections without an answer, one of which may have the lock: a slow connection keeps it until another one is
   * heard.
   */
  readonly #silent = new Set<Client>();
  #hasLock = true;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();
  #isEnded = false;
  #isDraining = false;
  /**
   * The time until which the silence of others means nothing, because they may have been cut off from the database like
   * this server.
   */
  #deafUntil = 0;

  private constructor(client: Client, number: number, options: HeartbeatOptions) {
    this.#number = number;
    this.#options = options;
    this.#use(client);
  }

  /**
   * Makes the process one of the servers, and starts its heartbeat.
   * @throws the errors of `beginSession`, and of queries.
   */
  static async join(options: HeartbeatOptions): Promise<Heartbeat> {
    const client = new Client({ ...options.config, pipeline: true });
    // The next query fails and reports it.
    client.on('error', () => {});
    await beginSession(client);
    await client.query('begin');
    const { rows } = await client.query<{ number: string; others: string }>(
      `insert into nodes (expires_at, deployments)
       values (clock_timestamp() + $1 * interval '1 millisecond', '{}')
       returning number, (select count(*) from nodes) as others`,
      [SILENCE_MS],
    );
    const number = Number(rows[0]?.number);
    await client.query('insert into node_lanes (node, lane) select $1, generate_series(0, $2)', [
      number,
      options.lanes - 1,
    ]);
    // The lock is taken before others can see the row.
    await client.query('select pg_advisory_lock($1, $2)', [NODE_LOCKS, number]);
    await client.query('commit');
    options.heard.set(process.hrtime.bigint());
    const heartbeat = new Heartbeat(client, number, options);
    options.tell({ joined: number, others: Number(rows[0]?.others) });
    heartbeat.#schedule(0);
    return heartbeat;
  }

  /** Stops taking over from others, and reports that. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    const client = this.#client;
    if (client === undefined) return;
    const report = client.query('update nodes set is_draining = true where number = $1', [this.#number]);
    // If the report fails, other servers notice when this one has ended.
    await settled(withTimeout(report, ANSWER_MS));
  }

  /** Leaves, so that others continue the work of this server. */
  async leave(): Promise<void> {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    await this.#beating;
    const client = this.#client;
    this.#client = undefined;
    this.#endSilent();
    if (client === undefined) return;
    const report = client.query("update nodes set expires_at = '-infinity' where number = $1", [
      this.#number,
    ]);
    // If the report fails, other servers notice after SILENCE_MS.
    await settled(withTimeout(report, ANSWER_MS));
    await endConnection(client);
  }

  #schedule(afterMs: number): void {
    if (this.#isEnded) return;
    this.#timer = setTimeout(() => {
      this.#beating = this.#beat().then(() => this.#schedule(BEAT_MS));
    }, afterMs);
  }

  async #beat(): Promise<void> {
    const { main, heard, tell } = this.#options;
    if (this.#isEnded || main.silentMs > STUCK_MS) return;
    const known = this.#client;
    try {
      const client = known ?? (await this.#reconnect());
      const sentAt = process.hrtime.bigint();
      const beat = client.query<{ others: string }>(
        `update nodes set expires_at = clock_timestamp() + $2 * interval '1 millisecond' where number = $1
         returning (select count(*) from nodes as other where other.number <> $1) as others`,
        [this.#number, SILENCE_MS],
      );
      const [row] = (await withTimeout(beat, ANSWER_MS)).rows;
      this.#endSilent();
      if (row === undefined) {
        this.#isEnded = true;
        return tell({ lost: true });
      }
      heard.set(sentAt);
      if (!this.#hasLock) await this.#lock(client);
      let others = Number(row.others);
      tell({ others });
      if (others === 0 || this.#isDraining || main.silentMs > BUSY_MS) return;
      const alsoSilent = performance.now() > this.#deafUntil;
      // The heirs are told at once, because taking over from the next server may fail.
      const onTaken = (heirs: ReadonlySet<string>) => {
        others--;
        tell({ others });
        tell({ heirs });
      };
      await withTimeout(takeOver(client, this.#number, { alsoSilent, onTaken }), TAKE_OVER_MS);
    } catch (error) {
      // After any other error, such as a lock timeout while another server takes over, the connection with
      // this server's lock still works.
      if (!isUnreachable(error)) return;
      const client = this.#client;
      this.#client = undefined;
      if (error instanceof ResponseTimeoutError && client !== undefined) this.#silent.add(client);
      else if (client !== undefined) void endConnection(client);
      // If the connection has worked before, another one is made immediately.
      if (known !== undefined) await this.#beat();
      else heard.clear();
    }
  }

  #endSilent(): void {
    for (const client of this.#silent) client.connection.stream.destroy();
    this.#silent.clear();
  }

  /**
   * Takes the lock. A server that is about to take over may hold it while it checks; this server's row shows whether it
   * has taken over.
   */
  async #lock(client: Client): Promise<void> {
    const lock = client.query<{ has: boolean }>('select pg_try_advisory_lock($1, $2) as has', [
      NODE_LOCKS,
      this.#number,
    ]);
    this.#hasLock = (await withTimeout(lock, ANSWER_MS)).rows[0]?.has === true;
  }

  async #reconnect(): Promise<Client> {
    const client = new Client({ ...this.#options.config, pipeline: true });
    // The next query fails and reports it.
    client.on('error', () => {});
    try {
      await beginSession(client);
      this.#deafUntil = performance.now() + SILENCE_MS;
      await this.#lock(client);
    } catch (error) {
      void endConnection(client);
      throw error;
    }
    this.#use(client);
    return client;
  }

  #use(client: Client): void {
    this.#client = client;
    const lose = () => {
      if (this.#client === client) this.#client = undefined;
    };
    client.on('error', lose).on('end', lose);
    // This may fail: the name is only for administrators who list the connections of the database.
    client
      .query("select set_config('application_name', $1, false)", [connectionName(this.#number)])
      .catch(() => {});
  }
}
