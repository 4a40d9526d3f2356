import { StatementSync } from 'node:sqlite';

/**
 * Counts for one SQL text: how often and for how long it ran, the bytes it was given, the rows it read or changed, and
 * the bytes it read.
 */
export interface StatementCount {
  times: number;
  ms: number;
  bytes: number;
  rows: number;
  readBytes: number;
}

/** The work of a process between `start` and `stop`. */
export interface WorkCounts {
  /** By their SQL text. */
  readonly statements: Readonly<Record<string, StatementCount>>;
  /** Messages of the runtime protocol that the process received, by method; answers count as `result`. */
  readonly messages: Readonly<Record<string, number>>;
  /** The length of these messages, in characters. */
  readonly chars: number;
}

type Method = (this: StatementSync, ...values: never[]) => unknown;

/**
 * Counts the SQLite statements that this process runs, and what the other side of the runtime protocol sends to it.
 * Unlike times, the counts of a run are the same on every machine.
 */
export class WorkCounter {
  #statements: Record<string, StatementCount> = {};
  #messages: Record<string, number> = {};
  #chars = 0;
  #undo: (() => void)[] = [];

  start(): void {
    this.#statements = {};
    this.#messages = {};
    this.#chars = 0;
    this.#undo = [...['run', 'get', 'all'].map((name) => this.#watchStatements(name)), this.#watchMessages()];
  }

  stop(): WorkCounts {
    for (const undo of this.#undo) undo();
    this.#undo = [];
    return { statements: this.#statements, messages: this.#messages, chars: this.#chars };
  }

  /** Wraps the prototype, to see statements that were prepared earlier, too. */
  #watchStatements(name: string): () => void {
    const method: Method = Reflect.get(StatementSync.prototype, name);
    const count = (sql: string, values: readonly unknown[], ms: number, result: unknown) => {
      this.#statements[sql] ??= { times: 0, ms: 0, bytes: 0, rows: 0, readBytes: 0 };
      const statement = this.#statements[sql];
      statement.times++;
      statement.ms += ms;
      for (const value of values) statement.bytes += bytesOf(value);
      statement.rows += rowsOf(sql, result);
      if (name !== 'run') for (const row of [result].flat()) statement.readBytes += bytesIn(row);
    };
    const counting: Method = function (...values) {
      const before = performance.now();
      const result = method.apply(this, values);
      count(this.sourceSQL, values, performance.now() - before, result);
      return result;
    };
    Reflect.set(StatementSync.prototype, name, counting);
    return () => Reflect.set(StatementSync.prototype, name, method);
  }

  #watchMessages(): () => void {
    const { parse } = JSON;
    JSON.parse = (text, reviver) => {
      const value: unknown = parse(text, reviver);
      if (typeof text === 'string' && /^\[?\{"jsonrpc"/.test(text)) {
        this.#chars += text.length;
        for (const { method = 'result' } of [value].flat() as { method?: string }[]) {
          this.#messages[method] = (this.#messages[method] ?? 0) + 1;
        }
      }
      return value;
    };
    return () => {
      JSON.parse = parse;
    };
  }
}

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  return value instanceof Uint8Array ? value.length : 8;
}

/** The bytes in a row that was read; undefined when there was none. */
function bytesIn(row: unknown): number {
  return Object.values(Object(row)).reduce<number>((sum, value) => sum + bytesOf(value), 0);
}

function rowsOf(sql: string, result: unknown): number {
  if (Array.isArray(result)) return result.length;
  if (!/^(insert|update|delete)/i.test(sql)) return 0;
  return typeof result === 'object' && result !== null && 'changes' in result ? Number(result.changes) : 1;
}
