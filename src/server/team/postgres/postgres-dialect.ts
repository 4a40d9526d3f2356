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
import { PostgresCompiler } from './postgres-compiler.ts';
import { isUnreachable } from './unreachable.ts';

/** Tells errors of connections from those of queries. */
class StateDriver extends PostgresDriver {
  readonly #seen = new WeakSet<object>();

  override async acquireConnection() {
    const connection = await super.acquireConnection().catch(nameUnreachable);
    if (!this.#seen.has(connection)) {
      this.#seen.add(connection);
      const execute = connection.executeQuery.bind(connection);
      connection.executeQuery = <Row>(query: CompiledQuery) => execute<Row>(query).catch(nameUnreachable);
    }
    return connection;
  }
}

function nameUnreachable(error: unknown): never {
  throw isUnreachable(error) ? new DatabaseUnreachable(error) : error;
}

class StateDialect extends PostgresDialect {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): Driver {
    return new StateDriver({ pool: this.#pool });
  }

  override createQueryCompiler(): QueryCompiler {
    return new PostgresCompiler();
  }
}

export function postgresDialect(pool: PostgresPool): Dialect {
  return new StateDialect(pool);
}
