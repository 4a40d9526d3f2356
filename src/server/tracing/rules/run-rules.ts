import type { Selectable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { RunRule, RunRuleCreate, RunRuleUpdate } from '../../../contract/tracing/rules.ts';
import { notFound } from '../../http/errors.ts';
import type { ReaderContext } from '../context/reader-context.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { formatTime, nowMicros } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import type { RunRuleTable } from '../database/traces-schema.ts';
import { compileFilter } from '../filters/compile-filter.ts';
import { ensureWorkspaceKey, findWorkspaceKeyOrNone } from '../sessions/workspace-keys.ts';

type Row = Selectable<RunRuleTable>;
type Filters = Pick<Row, 'filter' | 'trace_filter' | 'tree_filter'>;

/** Creates a rule. @throws HttpError 404 for an unknown project, 422 for an invalid filter. */
export function createRule(
  { db, caches }: WriterContext,
  request: { workspaceId: string; rule: RunRuleCreate },
): RunRule {
  const { rule } = request;
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  const now = nowMicros();
  const row = {
    workspace,
    id: uuidv7(),
    name: rule.display_name,
    session_id: rule.session_id ?? null,
    filter: rule.filter ?? null,
    trace_filter: rule.trace_filter ?? null,
    tree_filter: rule.tree_filter ?? null,
    sampling_rate: rule.sampling_rate,
    enabled: rule.is_enabled ? 1 : 0,
    created_at: now,
    updated_at: now,
  };
  checkRule(db, workspace, row);
  const { key } = db.insert(db.build.insertInto('run_rules').values(row).returning('key'));
  caches.hasRules.clear();
  return ruleOf({ ...row, key }, request.workspaceId);
}

/** Changes the given fields. @throws HttpError 404 for an unknown rule or project, 422 for an invalid filter */
export function updateRule(
  { db, caches }: WriterContext,
  request: { workspaceId: string; ruleId: string; changes: RunRuleUpdate },
): RunRule {
  const { changes } = request;
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  const before = requireRuleRow(db, workspace, request.ruleId);
  const given = <Value>(value: Value | undefined, kept: Value): Value => (value === undefined ? kept : value);
  const row: Row = {
    ...before,
    name: given(changes.display_name, before.name),
    session_id: given(changes.session_id, before.session_id),
    filter: given(changes.filter, before.filter),
    trace_filter: given(changes.trace_filter, before.trace_filter),
    tree_filter: given(changes.tree_filter, before.tree_filter),
    sampling_rate: given(changes.sampling_rate, before.sampling_rate),
    enabled: changes.is_enabled === undefined ? before.enabled : Number(changes.is_enabled),
    updated_at: nowMicros(),
  };
  checkRule(db, workspace, row);
  const { key, ...columns } = row;
  db.run(db.build.updateTable('run_rules').set(columns).where('key', '=', key));
  caches.hasRules.clear();
  return ruleOf(row, request.workspaceId);
}

/** Deletes a rule. @returns the deleted rule. @throws HttpError 404 */
export function deleteRule(
  { db, caches }: WriterContext,
  request: { workspaceId: string; ruleId: string },
): RunRule {
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  const row = requireRuleRow(db, workspace, request.ruleId);
  db.statement('DELETE FROM run_rules WHERE key = ?').run(row.key);
  caches.hasRules.clear();
  return ruleOf(row, request.workspaceId);
}

/** Lists the rules of a workspace, or of one of its projects, oldest first. */
export function listRules(
  { db }: ReaderContext,
  request: { workspaceId: string; sessionId: string | undefined },
): RunRule[] {
  let rows = db.build
    .selectFrom('run_rules')
    .selectAll()
    .where('workspace', '=', findWorkspaceKeyOrNone(db, request.workspaceId));
  if (request.sessionId !== undefined) rows = rows.where('session_id', '=', request.sessionId);
  return db.all(rows.orderBy('key')).map((row) => ruleOf(row, request.workspaceId));
}

/** Finds the row of a rule. @throws HttpError 404 */
function requireRuleRow(db: TracesDatabase, workspace: number, id: string): Row {
  const row = db.get(
    db.build.selectFrom('run_rules').selectAll().where('workspace', '=', workspace).where('id', '=', id),
  );
  if (row === undefined) throw notFound('Rule', id);
  return row;
}

/** Refuses a rule that could never work. @throws HttpError 404 for an unknown project, 422 for an invalid filter. */
function checkRule(db: TracesDatabase, workspace: number, rule: Filters & Pick<Row, 'session_id'>): void {
  if (rule.session_id !== null) {
    const session = db
      .statement('SELECT 1 FROM sessions WHERE workspace = ? AND id = ?')
      .get(workspace, rule.session_id);
    if (session === undefined) throw notFound('Project', rule.session_id);
  }
  const scope = { db, workspace, sessions: undefined, lookup: undefined, withFeedback: true };
  for (const name of ['filter', 'trace_filter', 'tree_filter'] as const) {
    const text = rule[name];
    if (text !== null) compileFilter(text, 'runs', scope, name);
  }
}

function ruleOf(row: Row, workspaceId: string): RunRule {
  return {
    id: row.id,
    tenant_id: workspaceId,
    display_name: row.name,
    session_id: row.session_id,
    filter: row.filter,
    trace_filter: row.trace_filter,
    tree_filter: row.tree_filter,
    sampling_rate: row.sampling_rate,
    is_enabled: row.enabled === 1,
    extend_only: true,
    created_at: formatTime(row.created_at),
    updated_at: formatTime(row.updated_at),
  };
}
