import type { Kysely, QueryCompiler } from 'kysely';
import { StatementCache } from '../../../storage/statement-cache.ts';
import {
  type BoundStatement,
  refuseWaiting,
  SyncDatabase,
  type SyncRow,
  type SyncStatement,
} from '../../../storage/sync-database.ts';
import { postgresBuilder } from '../postgres-compiler.ts';
import type { Link } from './database-link.ts';
import { type LinkResult, type LinkStatement, LONG_MS, USUAL_MS } from './link-protocol.ts';
import { numberParameters } from './number-parameters.ts';
import { toLink } from './to-link.ts';

/** The maximum number of statements that are collected before they are sent. */
const MAX_WAITING = 500;
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** How many times a statement must be executed before it is prepared. */
const PREPARED_FROM = 3;

/**
 * PostgreSQL, used synchronously. In a transaction, writes are collected and sent with the next read or the
 * commit, so that a transaction without reads is one round trip; their errors are thrown there.
 */
export abstract class PostgresSyncDatabase<Schema> extends SyncDatabase<Schema> {
  readonly build: Kysely<Schema>;
  readonly #link: Link;
  readonly #statements: StatementCache<LinkedStatement>;
  #waiting: PendingWrite[] = [];
  #waitingBytes = 0;
  #depth = 0;

  constructor(link: Link, compiler?: () => QueryCompiler) {
    super();
    this.#link = link;
    this.build = postgresBuilder<Schema>(compiler);
    this.#statements = new StatementCache((sql) => new LinkedStatement(this, numberParameters(sql)));
  }

  statement(sql: string): SyncStatement {
    return this.#statements.get(sql);
  }

  protected override rowsOf(statements: readonly BoundStatement<unknown>[]): SyncRow[][] {
    // Outside of a transaction, each statement is a transaction by itself.
    if (this.#depth === 0 || statements.length === 0) return super.rowsOf(statements);
    const reads = statements.map(({ sql, values }) => this.#statements.get(sql).with(values));
    return this.#flush(reads)
      .slice(-reads.length)
      .map(({ rows }) => [...rows]);
  }

  /**
   * The statements at the start of every transaction.
   * @returns the statements, and a handler for their answers.
   */
  protected abstract opening(): {
    statements: readonly string[];
    opened: (results: readonly LinkResult[]) => void;
  };

  transaction<Result>(work: () => Result): Result {
    return this.#depth === 0 ? this.#inTransaction(work) : this.#inSavepoint(work);
  }

  /** Runs a statement together with the collected writes, and waits for the results. */
  ask(statement: LinkStatement): LinkResult {
    if (this.#depth > 0) return last(this.#flush([statement]));
    const reads = /^\s*(?:select|with)\b/i.test(statement.text);
    const [result] = this.#link.ask({
      statements: [statement],
      continues: false,
      isRepeatable: reads,
      withinMs: /^vacuum\b/i.test(statement.text) ? LONG_MS : USUAL_MS,
    });
    return result ?? NOTHING;
  }

  /**
   * Executes a write; in a transaction, queues it for the next round trip.
   * @returns how many rows it changes; reading this number waits for the result.
   */
  write(statement: LinkStatement): { readonly changes: number } {
    if (this.#depth === 0) return this.ask(statement);
    const waiting = new PendingWrite(statement, () => this.#flush([]));
    this.#waiting.push(waiting);
    this.#waitingBytes += statement.values.reduce<number>((sum, value) => sum + sizeOf(value), 0);
    if (this.#waiting.length >= MAX_WAITING || this.#waitingBytes >= MAX_WAITING_BYTES) this.#flush([]);
    return waiting;
  }

  close(): void {
    this.#statements.clear();
    void this.#link.close();
  }

  #inTransaction<Result>(work: () => Result): Result {
    const { statements, opened } = this.opening();
    opened(
      this.#link
        .ask({
          statements: ['BEGIN', ...statements].map(plain),
          continues: false,
          isRepeatable: true,
          withinMs: USUAL_MS,
        })
        .slice(1),
    );
    this.#depth = 1;
    try {
      const result = work();
      refuseWaiting(result);
      const { command } = last(this.#flush([plain('COMMIT')]));
      if (command !== 'COMMIT') throw new Error('PostgreSQL has rolled back a transaction.');
      return result;
    } catch (error) {
      this.#drop();
      this.#undo('ROLLBACK');
      throw error;
    } finally {
      this.#depth = 0;
    }
  }

  #inSavepoint<Result>(work: () => Result): Result {
    const name = `nested_${this.#depth}`;
    // An error of an earlier write does not belong to this savepoint.
    if (this.#waiting.length > 0) this.#flush([]);
    this.write(plain(`SAVEPOINT ${name}`));
    this.#depth++;
    try {
      const result = work();
      refuseWaiting(result);
      this.#flush([plain(`RELEASE ${name}`)]);
      return result;
    } catch (error) {
      const isBegun = this.#waiting[0]?.statement.text !== `SAVEPOINT ${name}`;
      this.#drop();
      if (isBegun) this.#undo(`ROLLBACK TO ${name}`, `RELEASE ${name}`);
      throw error;
    } finally {
      this.#depth--;
    }
  }

  /** Sends the waiting statements, and more. @returns the answers to all of them. */
  #flush(more: readonly LinkStatement[]): readonly LinkResult[] {
    const waiting = this.#waiting;
    this.#drop();
    const results = this.#link.ask({
      statements: [...waiting.map(({ statement }) => statement), ...more],
      continues: true,
      isRepeatable: false,
      withinMs: USUAL_MS,
    });
    for (const [at, write] of waiting.entries()) write.result = results[at];
    return results;
  }

  #drop(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  /** Rolling back may fail as well; the first failure is the one to report. */
  #undo(...statements: string[]): void {
    try {
      this.#flush(statements.map(plain));
    } catch {
      // The connection has ended, and the transaction with it.
    }
  }
}

const NOTHING: LinkResult = { rows: [], changes: 0, command: '' };

function last(results: readonly LinkResult[]): LinkResult {
  return results.at(-1) ?? NOTHING;
}

function plain(text: string): LinkStatement {
  return { text, values: [], isPrepared: false };
}

function sizeOf(value: unknown): number {
  return value instanceof Uint8Array ? value.byteLength : typeof value === 'string' ? value.length : 8;
}

/** A write whose result has not arrived. */
class PendingWrite {
  readonly statement: LinkStatement;
  readonly #settle: () => void;
  result: LinkResult | undefined;

  constructor(statement: LinkStatement, settle: () => void) {
    this.statement = statement;
    this.#settle = settle;
  }

  get changes(): number {
    if (this.result === undefined) this.#settle();
    return this.result?.changes ?? 0;
  }
}

class LinkedStatement implements SyncStatement {
  readonly #db: Pick<PostgresSyncDatabase<unknown>, 'ask' | 'write'>;
  readonly #text: string;
  #uses = 0;

  constructor(db: Pick<PostgresSyncDatabase<unknown>, 'ask' | 'write'>, text: string) {
    this.#db = db;
    this.#text = text;
  }

  all(...values: readonly unknown[]): SyncRow[] {
    return [...this.#db.ask(this.with(values)).rows];
  }

  get(...values: readonly unknown[]): SyncRow | undefined {
    return this.#db.ask(this.with(values)).rows[0];
  }

  run(...values: readonly unknown[]): { readonly changes: number } {
    return this.#db.write(this.with(values));
  }

  with(values: readonly unknown[]): LinkStatement {
    return { text: this.#text, values: values.map(toLink), isPrepared: ++this.#uses >= PREPARED_FROM };
  }
}
