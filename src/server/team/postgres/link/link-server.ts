import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type ClientConfig, DatabaseError } from 'pg';
import { messageOf } from '../../../../process/message-of.ts';
import { beginSession, type SessionOptions } from '../begin-session.ts';
import { endConnection } from '../end-connection.ts';
import { isTransient, isUnreachable } from '../error-kinds.ts';
import { withTimeout } from '../with-timeout.ts';
import type { LinkAnswer, LinkBatch, LinkResult, LinkStatement } from './link-protocol.ts';

/** The pause before a statement is tried again. */
const PAUSE_MS = 100;
/** The time between attempts to reach a replica. */
const REPLICA_AGAIN_MS = 1_000;
/** The maximum number of prepared statements; any others are parsed each time. */
const MAX_PREPARED = 300;
/** The OIDs of types. */
const BOOL = 16;
const INT8 = 20;
const NUMERIC = 1700;
/** The SQLSTATE code of a statement that an earlier error of its transaction prevents. */
const IN_FAILED_TRANSACTION = '25P02';

/** Executes batches over a connection, which is opened when it is needed. */
export class LinkServer {
  readonly #config: ClientConfig;
  readonly #session: SessionOptions;
  readonly #patienceMs: number;
  #client: pg.Client | undefined;
  #isClosed = false;
  /** Receives whether a replica is connected. */
  #tell = (_isConnected: boolean) => {};
  /** The names of prepared statements, by text. */
  readonly #names = new Map<string, string>();
  /** The number of names that have been given. */
  #named = 0;

  /**
   * @param patienceMs how long repeatable statements are retried while the database cannot be reached, or fails for a
   * temporary reason; 0 for a replica, which `stayConnected` connects instead of the statements.
   */
  constructor(config: ClientConfig, session: SessionOptions, patienceMs: number) {
    this.#session = session;
    this.#patienceMs = patienceMs;
    const types = new pg.TypeOverrides();
    types.setTypeParser(INT8, nearestNumber);
    types.setTypeParser(NUMERIC, Number);
    types.setTypeParser(BOOL, (value: string) => Number(value === 't'));
    this.#config = { ...config, types };
  }

  /** Executes a batch. Never rejects: an error is part of the answer. */
  async answer(batch: LinkBatch): Promise<LinkAnswer> {
    for (const began = Date.now(); ; await sleep(PAUSE_MS)) {
      try {
        return { results: await withTimeout(this.#try(batch), batch.withinMs) };
      } catch (error) {
        const unreachable = isUnreachable(error);
        const isAskedAgain =
          (unreachable || isTransient(error)) && batch.isRepeatable && Date.now() - began < this.#patienceMs;
        // The next attempt needs another connection, even if this one only has a failed transaction.
        if (unreachable || isAskedAgain) this.#dropConnection();
        if (isAskedAgain) continue;
        const code = error instanceof DatabaseError ? error.code : undefined;
        return { error: { message: messageOf(error), code, isUnreachable: unreachable } };
      }
    }
  }

  /**
   * Connects before the first query, and again whenever the connection ends.
   * @param tell called with whether the replica is connected.
   * @returns after the first attempt.
   */
  async stayConnected(tell: (isConnected: boolean) => void): Promise<void> {
    this.#tell = tell;
    const connect = async () => {
      if (this.#isClosed || this.#client !== undefined) return;
      try {
        const client = await this.#connect();
        client.once('end', () => {
          if (this.#client === client) this.#dropConnection();
        });
        this.#client = client;
        tell(true);
      } catch {
        // The loop tries again.
      }
    };
    const keepConnecting = async () => {
      await sleep(REPLICA_AGAIN_MS, undefined, { ref: false });
      await connect();
      if (!this.#isClosed) void keepConnecting();
    };
    await connect();
    void keepConnecting();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) await endConnection(client);
  }

  async #try({ statements, continues }: LinkBatch): Promise<LinkResult[]> {
    const mayConnect = !continues && this.#patienceMs > 0;
    if (this.#client === undefined && !mayConnect) throw new Error('The connection has ended.');
    this.#client ??= await this.#connect();
    const client = this.#client;
    const answers = await Promise.allSettled(
      statements.map((statement) =>
        client.query({ ...this.#nameOf(statement), values: [...statement.values] }),
      ),
    );
    const failed = answers.findIndex(({ status }) => status === 'rejected');
    if (failed < 0) {
      return answers.flatMap((answer) => {
        if (answer.status === 'rejected') return [];
        const { rows, rowCount, command } = answer.value;
        return [{ rows, changes: rowCount ?? 0, command }];
      });
    }
    // A failed statement may not be prepared, even if this side believes so.
    for (const { text } of statements.slice(failed)) this.#names.delete(text);
    const reasons = answers.flatMap((answer) =>
      answer.status === 'rejected' ? [answer.reason as unknown] : [],
    );
    throw reasons.find((reason) => !isConsequence(reason)) ?? reasons[0];
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...this.#config, pipeline: true });
    // The next statement fails and reports it.
    client.on('error', () => {});
    await beginSession(client, this.#session);
    this.#names.clear();
    return client;
  }

  #dropConnection(): void {
    const left = this.#client;
    this.#client = undefined;
    this.#tell(false);
    if (left !== undefined) void endConnection(left);
  }

  #nameOf({ text, isPrepared }: LinkStatement): { text: string; name?: string } {
    if (!isPrepared) return { text };
    const known = this.#names.get(text);
    if (known !== undefined) return { text, name: known };
    if (this.#names.size >= MAX_PREPARED) return { text };
    const name = `t${this.#named++}`;
    this.#names.set(text, name);
    return { text, name };
  }
}

/** As with SQLite, an integer that is too large is read as the nearest exact one. */
function nearestNumber(text: string): number {
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number(text), Number.MAX_SAFE_INTEGER));
}

function isConsequence(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === IN_FAILED_TRANSACTION;
}
