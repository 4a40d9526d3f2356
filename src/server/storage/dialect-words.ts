import { type OperationNode, type RawBuilder, RawNode, sql } from 'kysely';

/** The SQL that stands in PostgreSQL for a word of SQLite's. */
const ofPostgres = new WeakMap<OperationNode, RawNode>();

/** SQL that databases say differently: each query compiler takes the form of its own. */
export function inDialects<Value>(forms: {
  readonly sqlite: RawBuilder<Value>;
  readonly postgres: RawBuilder<unknown>;
}): RawBuilder<Value> {
  const node = forms.sqlite.toOperationNode();
  const postgres = forms.postgres.toOperationNode();
  if (RawNode.is(postgres)) ofPostgres.set(node, postgres);
  return sql<Value>`${{ toOperationNode: () => node }}`;
}

/** A node as PostgreSQL says it. */
export function formOfPostgres(node: RawNode): RawNode {
  return ofPostgres.get(node) ?? node;
}
