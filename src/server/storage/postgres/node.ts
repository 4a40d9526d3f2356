import { Client, type ClientConfig } from 'pg';
import { DataFolderError } from '../data-folder-error.ts';
import { connectionName, NODE_LOCKS, SILENCE_MS, takeOver } from './take-over.ts';
import { isUnreachable } from './unreachable.ts';

/** How often a node says that it is there. */
const BEAT_MS = 1_000;
const CHANNEL = 'agent_harbor';

export interface NodeOptions {
  readonly config: ClientConfig;
  /** How many units this node stores at a time. */
  readonly lanes: number;
  /** Called with what has been notified on the channel of all nodes. */
  onNotified?(payload: string): void;
  /** Called when this node has taken over from others, with those that have their runs now. */
  onTakenOver?(heirs: Iterable<string>): void;
}

/**
 * One of the servers that use a database. It holds a lock as long as its process lives, and says in each interval that it
 * works. Of one that does not, another server takes over the work, and nothing that it sends later is stored.
 */
export class Node {
  readonly number: number;
  /** Resolves when other servers have taken over from this one. */
  readonly lost: Promise<DataFolderError>;
  readonly #options: NodeOptions;
  readonly #lose: (error: DataFolderError) => void;
  #client: Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();
  #isEnded = false;
  #isDraining = false;
  #others = 0;
  /** Until when silence says nothing about others: they may have been cut off from the database as this one was. */
  #deafUntil = 0;

  private constructor(client: Client, number: number, options: NodeOptions) {
    this.number = number;
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<DataFolderError>();
    this.lost = promise;
    this.#lose = resolve;
    this.#use(client);
  }

  /** Makes this process one of the servers. */
  static async join(options: NodeOptions): Promise<Node> {
    const client = new Client({ ...options.config, pipeline: true });
    client.on('error', () => {});
    await client.connect();
    await client.query('begin');
    const { rows } = await client.query<{ number: string }>(
      `insert into nodes (expires_at, deployments)
       values (clock_timestamp() + $1 * interval '1 millisecond', '{}') returning number`,
      [SILENCE_MS],
    );
    const number = Number(rows[0]?.number);
    await client.query('insert into node_lanes (node, lane) select $1, generate_series(0, $2)', [
      number,
      options.lanes - 1,
    ]);
    // Before others can see the row.
    await client.query('select pg_advisory_lock($1, $2)', [NODE_LOCKS, number]);
    await client.query('commit');
    const node = new Node(client, number, options);
    await node.#beat();
    node.#schedule();
    return node;
  }

  /** Whether this is the only server that uses the database, as of the last beat. */
  get isAlone(): boolean {
    return this.#others === 0;
  }

  /** Looks now whether others have ended; also waits for a look that is under way. */
  look(): Promise<void> {
    this.#beating = this.#beating.then(() => this.#beat());
    return this.#beating;
  }

  /** Says that others have taken over from this one. */
  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#lose(
      new DataFolderError(
        'Other servers have taken over the work of this one, because the database did not hear of it. Start this server again.',
      ),
    );
  }

  /** Tells all nodes something; nobody hears it while the database cannot be reached. */
  async notify(payload: string): Promise<void> {
    await this.#client?.query('select pg_notify($1, $2)', [CHANNEL, payload]).catch(() => {});
  }

  /** Takes over nothing from others any more, and says so. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    const says = this.#client?.query('update nodes set is_draining = true where number = $1', [this.number]);
    // Others find out when this one has ended.
    await says?.catch(() => {});
  }

  /** Leaves, so that others go on with what this node has left. */
  async leave(): Promise<void> {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    await this.#beating;
    const client = this.#client;
    this.#client = undefined;
    await client
      ?.query("update nodes set expires_at = '-infinity' where number = $1", [this.number])
      .catch(() => {});
    await client?.end().catch(() => {});
  }

  #schedule(): void {
    if (this.#isEnded) return;
    this.#timer = setTimeout(() => void this.look().then(() => this.#schedule()), BEAT_MS).unref();
  }

  async #beat(): Promise<void> {
    if (this.#isEnded) return;
    try {
      const client = this.#client ?? (await this.#reconnect());
      const { rows } = await client.query<{ others: string }>(
        `update nodes set expires_at = clock_timestamp() + $2 * interval '1 millisecond' where number = $1
         returning (select count(*) from nodes as other where other.number <> $1) as others`,
        [this.number, SILENCE_MS],
      );
      const [row] = rows;
      if (row === undefined) return this.end();
      this.#others = Number(row.others);
      if (this.#others === 0 || this.#isDraining) return;
      const taken = await takeOver(client, this.number, { alsoSilent: performance.now() > this.#deafUntil });
      this.#others -= taken.length;
      for (const heirs of taken) this.#options.onTakenOver?.(heirs);
    } catch (error) {
      // Such as a wait for another server that takes over; the connection with this one's lock is as good as before.
      if (!isUnreachable(error)) return;
      const client = this.#client;
      this.#client = undefined;
      client?.end().catch(() => {});
    }
  }

  async #reconnect(): Promise<Client> {
    const client = new Client({ ...this.#options.config, pipeline: true });
    client.on('error', () => {});
    try {
      await client.connect();
      this.#deafUntil = performance.now() + SILENCE_MS;
      // Whoever takes over from this node may be looking; its row says whether it has.
      await client.query('select pg_try_advisory_lock($1, $2)', [NODE_LOCKS, this.number]);
    } catch (error) {
      client.end().catch(() => {});
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
    client.on('notification', ({ payload = '' }) => this.#options.onNotified?.(payload));
    client
      .query("select set_config('application_name', $1, false)", [connectionName(this.number)])
      .catch(() => {});
    client.query(`listen ${CHANNEL}`).catch(() => {});
  }
}
