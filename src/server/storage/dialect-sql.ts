import { type OperationNode, type RawBuilder, RawNode, sql } from 'kysely';

/** The PostgreSQL forms of SQLite expressions. */
const ofPostgres = new WeakMap<OperationNode, RawNode>();

/** SQL that differs between databases: each query compiler uses its own form. */
export function inDialects<Value>(forms: {
  readonly sqlite: RawBuilder<Value>;
  readonly postgres: RawBuilder<unknown>;
}): RawBuilder<Value> {
  const node = forms.sqlite.toOperationNode();
  const postgres = forms.postgres.toOperationNode();
  if (RawNode.is(postgres)) ofPostgres.set(node, postgres);
  return sql<Value>`${{ toOperationNode: () => node }}`;
}

/** A node in PostgreSQL's form. */
export function formOfPostgres(node: RawNode): RawNode {
  return ofPostgres.get(node) ?? node;
}
