import type { Compilable, Kysely } from 'kysely';
import type { PreparedInsert } from '../../storage/prepared-insert.ts';
import type { PreparedQuery } from '../../storage/prepared-query.ts';
import type { RefusalCode } from '../../storage/refused.ts';
import type { StateSchema } from '../../storage/state-schema.ts';
import type { Condition, Unit } from '../../storage/unit.ts';
import { toPostgres } from './postgres-value.ts';

/** A statement to be sent. */
export interface SentStatement {
  readonly text: string;
  readonly values: unknown[];
  /** Whether the statement is frequent enough to be prepared. */
  readonly isPrepared: boolean;
}

/** Codes of errors that explain why a unit was refused (`harbor_expect`). */
export const REFUSALS: Readonly<Record<RefusalCode, string>> = { stale: 'AH001', gone: 'AH002' };

/**
 * On PostgreSQL, the statements of a unit are recorded and sent together; rows of a table are collected for one
 * statement.
 */
export class PostgresUnit implements Unit {
  readonly build: Kysely<StateSchema>;
  readonly #statements: SentStatement[] = [];
  readonly #gathered = new Map<Pick<PreparedInsert<object>, 'bindAll'>, object[]>();

  constructor(build: Kysely<StateSchema>) {
    this.build = build;
  }

  /** All statements; read this only when no more will be added. */
  get statements(): readonly SentStatement[] {
    this.#storeGathered();
    return this.#statements;
  }

  /** Rows that were collected before may be stored after this statement. */
  run<Values extends object>(query: PreparedQuery<Values>, values: NoInfer<Values>): void {
    const { sql, parameters } = query.bind(this.build, values);
    this.#add(sql, parameters, true);
  }

  insert<Values extends object>(query: PreparedInsert<Values>, rows: readonly NoInfer<Values>[]): void {
    const gathered = this.#gathered.get(query);
    if (gathered === undefined) this.#gathered.set(query, [...rows]);
    else gathered.push(...rows);
  }

  do(query: Compilable<unknown>): void {
    this.#storeGathered();
    const { sql, parameters } = query.compile();
    this.#add(sql, parameters, false);
  }

  expect<Values extends object>(
    query: PreparedQuery<Values>,
    values: NoInfer<Values>,
    refusal: RefusalCode,
  ): void;
  expect(query: Compilable<unknown>, refusal: RefusalCode): void;
  expect<Values extends object>(...condition: Condition<Values>): void {
    this.#storeGathered();
    if (condition.length === 3) {
      const [query, values, refusal] = condition;
      const { sql, parameters, reads } = query.bind(this.build, values);
      this.#add(expecting(sql, reads, refusal), parameters, true);
    } else {
      const [query, refusal] = condition;
      const { sql, parameters, query: node } = query.compile();
      const reads = node.kind === 'SelectQueryNode' || sql.startsWith('select ');
      this.#add(expecting(sql, reads, refusal), parameters, false);
    }
  }

  #storeGathered(): void {
    for (const [query, rows] of this.#gathered) {
      for (const { sql, parameters } of query.bindAll(this.build, rows)) this.#add(sql, parameters, true);
    }
    this.#gathered.clear();
  }

  #add(text: string, parameters: readonly unknown[], isPrepared: boolean): void {
    this.#statements.push({ text, values: parameters.map(toPostgres), isPrepared });
  }
}

/**
 * Returns SQL that raises an error unless a query matches one row. The error rolls back the transaction; checking the
 * result here would be too late, because later statements are already on their way.
 */
function expecting(sql: string, reads: boolean, refusal: RefusalCode): string {
  const met = reads ? sql : `${sql} returning 1`;
  return `with met as (${met}) select harbor_expect((select count(*) from met), '${REFUSALS[refusal]}')`;
}
