import {
  type CompiledQuery,
  type Dialect,
  type Driver,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresDriver,
  PostgresIntrospector,
  type PostgresPool,
  PostgresQueryCompiler,
  type QueryCompiler,
  type RawNode,
} from 'kysely';
import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import { formOfPostgres } from '../dialect-words.ts';
import type { StateSchema } from '../state-schema.ts';
import { toPostgres } from './postgres-value.ts';
import { isUnreachable } from './unreachable.ts';

/** Says words of storage in PostgreSQL's form, and gives values as it takes them. */
class StateCompiler extends PostgresQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(toPostgres(parameter));
  }

  protected override visitRaw(node: RawNode): void {
    super.visitRaw(formOfPostgres(node));
  }
}

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
    return new StateCompiler();
  }
}

export function postgresDialect(pool: PostgresPool): Dialect {
  return new StateDialect(pool);
}

/** Builds queries for PostgreSQL; it runs none. */
export function postgresBuilder(): Kysely<StateSchema> {
  return new Kysely<StateSchema>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new StateCompiler(),
    },
  });
}
