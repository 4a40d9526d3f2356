import {
  type CompiledQuery,
  type Dialect,
  type Driver,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
  type QueryCompiler,
} from 'kysely';
import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import { Meters, type QueryMeters } from '../../meters.ts';
import { isUnreachable } from './error-kinds.ts';
import { PostgresCompiler } from './postgres-compiler.ts';

/** Measures queries, and throws connection errors as DatabaseUnreachable. */
class StateDriver extends PostgresDriver {
  readonly #seen = new WeakSet<object>();
  readonly #meters: QueryMeters;

  constructor(pool: PostgresPool, meters: QueryMeters) {
    super({ pool });
    this.#meters = meters;
  }

  override async acquireConnection() {
    const { connections, reads } = this.#meters;
    const acquire = () => super.acquireConnection();
    const connection = await connections.time(acquire, () => ({})).catch(nameUnreachable);
    if (!this.#seen.has(connection)) {
      this.#seen.add(connection);
      const execute = connection.executeQuery.bind(connection);
      connection.executeQuery = <Row>(query: CompiledQuery) =>
        reads
          .time(
            () => execute<Row>(query),
            () => ({}),
          )
          .catch(nameUnreachable);
    }
    return connection;
  }
}

function nameUnreachable(error: unknown): never {
  throw isUnreachable(error) ? new DatabaseUnreachable(error) : error;
}

class StateDialect extends PostgresDialect {
  readonly #pool: PostgresPool;
  readonly #meters: QueryMeters;

  constructor(pool: PostgresPool, meters: QueryMeters) {
    super({ pool });
    this.#pool = pool;
    this.#meters = meters;
  }

  override createDriver(): Driver {
    return new StateDriver(this.#pool, this.#meters);
  }

  override createQueryCompiler(): QueryCompiler {
    return new PostgresCompiler();
  }
}

/** The dialect with which Kysely uses a pool of connections. */
export function postgresDialect(pool: PostgresPool, meters: QueryMeters = new Meters()): Dialect {
  return new StateDialect(pool, meters);
}
