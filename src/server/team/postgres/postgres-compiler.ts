import {
  type BinaryOperationNode,
  DummyDriver,
  Kysely,
  OperatorNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  type QueryCompiler,
  type RawNode,
} from 'kysely';
import { formOfPostgres } from '../../storage/dialect-sql.ts';
import { toPostgres } from './postgres-value.ts';

/** Compiles storage expressions to PostgreSQL's form, and converts values to its types. */
export class PostgresCompiler extends PostgresQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(toPostgres(parameter));
  }

  /** SQLite accepts empty lists in `in (…)`, which match nothing; PostgreSQL does not. */
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { rightOperand: list } = node;
    const operator = OperatorNode.is(node.operator) ? node.operator.operator : undefined;
    const isEmpty = PrimitiveValueListNode.is(list) && list.values.length === 0;
    if (isEmpty && operator === 'in') this.append('false');
    else if (isEmpty && operator === 'not in') this.append('true');
    else super.visitBinaryOperation(node);
  }

  protected override visitRaw(node: RawNode): void {
    super.visitRaw(formOfPostgres(node));
  }
}

/** Builds queries for PostgreSQL without executing them. */
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
