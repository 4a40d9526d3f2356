import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryCompiler,
  type RawNode,
} from 'kysely';
import { formOfPostgres } from '../dialect-words.ts';
import { toPostgres } from './postgres-value.ts';

/** Says words of storage in PostgreSQL's form, and gives values as it takes them. */
export class PostgresCompiler extends PostgresQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(toPostgres(parameter));
  }

  protected override visitRaw(node: RawNode): void {
    super.visitRaw(formOfPostgres(node));
  }
}

/** Builds queries for PostgreSQL; it runs none. */
export function postgresBuilder<Schema>(
  compiler: () => QueryCompiler = () => new PostgresCompiler(),
): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: compiler,
    },
  });
}
