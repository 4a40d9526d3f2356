import { Client, type ClientConfig, type Connection, type Submittable } from 'pg';
import { beginSession } from './begin-session.ts';
import { endConnection } from './end-connection.ts';
import type { SentStatement } from './postgres-unit.ts';
import type { ResponseTimeouts } from './response-timeouts.ts';
import { StatementNames } from './statement-names.ts';

/** A value in the protocol's form; PostgreSQL reads any type from text. */
type SentValue = string | Buffer | null;

/**
 * A connection that sends the statements of a unit as one message and receives one response. Statements that are sent
 * without a sync message in between are one transaction by themselves
 * (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING), so neither side spends time on
 * beginning and ending a transaction, or on describing columns.
 */
export class UnitConnection {
  readonly #client: Client;
  readonly #limits: ResponseTimeouts;
  readonly #names = new StatementNames();
  /** The names of statements that PostgreSQL has prepared. */
  readonly #prepared = new Set<string>();
  /**
   * The names of the statements in the last message that PostgreSQL had not prepared yet, in order; an empty name for a
   * statement that is used once.
   */
  #parsing: string[] = [];

  private constructor(client: Client, limits: ResponseTimeouts) {
    this.#client = client;
    this.#limits = limits;
    limits.watch(client);
    client.connection.on('parseComplete', () => {
      const name = this.#parsing.shift();
      if (name) this.#prepared.add(name);
    });
  }

  /** Connects. @throws the errors of `beginSession`. */
  static async open(config: ClientConfig, limits: ResponseTimeouts): Promise<UnitConnection> {
    const client = new Client(config);
    // The next statement fails and reports it.
    client.on('error', () => {});
    await beginSession(client);
    return new UnitConnection(client, limits);
  }

  /**
   * Stores a unit, all or nothing.
   * @param limitMs how long to wait for an answer before the connection is given up.
   * @throws the error because of which nothing was stored, or because of which it is unknown whether anything
   * was.
   */
  async store(statements: readonly SentStatement[], limitMs: number): Promise<void> {
    const values = statements.map((statement) => statement.values.map(toSent));
    this.#limits.onRequest(this.#client, limitMs);
    try {
      await new Promise<void>((resolve, reject) => {
        const submit = (connection: Connection) => this.#send(connection, statements, values);
        this.#client.query(new Answer(submit, resolve, reject));
      });
    } finally {
      this.#limits.onResponse(this.#client);
    }
  }

  end(): Promise<void> {
    return endConnection(this.#client);
  }

  #send(
    connection: Connection,
    statements: readonly SentStatement[],
    values: readonly (readonly SentValue[])[],
  ): void {
    this.#parsing = [];
    connection.stream.cork();
    try {
      for (const [at, { text, isPrepared }] of statements.entries()) {
        const name = isPrepared ? this.#names.of(text) : '';
        if (!this.#prepared.has(name) && (name === '' || !this.#parsing.includes(name))) {
          this.#parsing.push(name);
          connection.parse({ name, text, types: [] }, true);
        }
        connection.bind({ statement: name, values: [...(values[at] ?? [])] }, true);
        connection.execute(null, true);
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }
}

/** Receives PostgreSQL's response to a unit, whose statements return no rows. */
class Answer implements Submittable {
  readonly submit: (connection: Connection) => void;
  readonly handleReadyForQuery: () => void;
  readonly handleError: (error: unknown) => void;

  constructor(submit: Answer['submit'], stored: () => void, failed: (error: unknown) => void) {
    this.submit = submit;
    this.handleReadyForQuery = stored;
    this.handleError = failed;
  }

  handleDataRow(): void {}
  handleCommandComplete(): void {}
}

function toSent(value: unknown): SentValue {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  throw new TypeError(`A unit has no form for a value of type ${typeof value}.`);
}
