import {
  type Dialect,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresIntrospector,
  type PostgresPool,
  PostgresQueryCompiler,
  type QueryCompiler,
  type RawNode,
} from 'kysely';
import { formOfPostgres } from '../dialect-words.ts';
import type { StateSchema } from '../state-schema.ts';
import { toPostgres } from './postgres-value.ts';

/** Says words of storage in PostgreSQL's form, and gives values as it takes them. */
class StateCompiler extends PostgresQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(toPostgres(parameter));
  }

  protected override visitRaw(node: RawNode): void {
    super.visitRaw(formOfPostgres(node));
  }
}

class StateDialect extends PostgresDialect {
  override createQueryCompiler(): QueryCompiler {
    return new StateCompiler();
  }
}

export function postgresDialect(pool: PostgresPool): Dialect {
  return new StateDialect({ pool });
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
