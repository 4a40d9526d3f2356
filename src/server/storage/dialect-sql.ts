import { type OperationNode, type RawBuilder, type RawNode, sql } from 'kysely';

/** The PostgreSQL forms of SQLite expressions; nodes of queries carry only the SQLite form. */
const ofPostgres = new WeakMap<OperationNode, RawNode>();

/** SQL with a form for each kind of database. The query compiler of a database uses its form. */
export function inDialects<Value>(forms: {
  readonly sqlite: RawBuilder<Value>;
  readonly postgres: RawBuilder<unknown>;
}): RawBuilder<Value> {
  const node = forms.sqlite.toOperationNode();
  ofPostgres.set(node, forms.postgres.toOperationNode());
  return sql<Value>`${{ toOperationNode: () => node }}`;
}

/** The PostgreSQL form of a node, or the node itself if it has none. */
export function formOfPostgres(node: RawNode): RawNode {
  return ofPostgres.get(node) ?? node;
}
