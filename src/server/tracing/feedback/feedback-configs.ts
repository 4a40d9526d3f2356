import type { Selectable } from 'kysely';
import { FeedbackConfig } from '../../../contract/tracing/feedback.ts';
import type {
  FeedbackConfigCreate,
  FeedbackConfigRead,
  FeedbackConfigsQuery,
  FeedbackConfigUpdate,
} from '../../../contract/tracing/feedback-configs.ts';
import { conflict, invalid, notFound } from '../../http/errors.ts';
import { containsText } from '../../storage/contains-text.ts';
import type { ReaderContext } from '../context/reader-context.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { formatTime, nowMicros } from '../database/time.ts';
import type { FeedbackConfigTable } from '../database/traces-schema.ts';
import { ensureWorkspaceKey, findWorkspaceKeyOrNone } from '../sessions/workspace-keys.ts';

/** Stores the configuration of a key. @throws HttpError 409 when the key already has another one. */
export function createFeedbackConfig(
  { db, caches }: WriterContext,
  request: { workspaceId: string; config: FeedbackConfigCreate },
): FeedbackConfigRead {
  const { feedback_key, feedback_config, is_lower_score_better } = request.config;
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  const row = {
    workspace,
    name: feedback_key,
    config: JSON.stringify(feedback_config),
    is_lower_score_better: is_lower_score_better ? 1 : 0,
    modified_at: nowMicros(),
  };
  const before = find(db, workspace, feedback_key);
  if (before !== undefined) {
    // is_lower_score_better is not compared, because clients send a default for it, whatever is stored.
    if (before.config === row.config) return configOf(before, request.workspaceId);
    throw conflict(`Feedback '${feedback_key}' is already configured. Use PATCH to change it.`);
  }
  db.run(db.build.insertInto('feedback_configs').values(row));
  return configOf(row, request.workspaceId);
}

/** Changes the given fields. @throws HttpError 404, 422 for categories that conflict or do not exist */
export function updateFeedbackConfig(
  { db, caches }: WriterContext,
  request: { workspaceId: string; changes: FeedbackConfigUpdate },
): FeedbackConfigRead {
  const { feedback_key, feedback_config, is_lower_score_better } = request.changes;
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  const before = find(db, workspace, feedback_key);
  if (before === undefined) throw notFound('Feedback config', feedback_key);
  const row = {
    ...before,
    config: changeCategories(
      feedback_config ? JSON.stringify(feedback_config) : before.config,
      request.changes,
    ),
    is_lower_score_better:
      typeof is_lower_score_better === 'boolean'
        ? Number(is_lower_score_better)
        : before.is_lower_score_better,
    modified_at: nowMicros(),
  };
  const { workspace: _workspace, name, ...columns } = row;
  db.run(
    db.build
      .updateTable('feedback_configs')
      .set(columns)
      .where('workspace', '=', workspace)
      .where('name', '=', name),
  );
  return configOf(row, request.workspaceId);
}

/**
 * Adds and removes categories.
 * @param stored the configuration as JSON.
 * @returns the new configuration as JSON.
 * @throws HttpError 422 for categories that conflict or do not exist.
 */
function changeCategories(stored: string, changes: FeedbackConfigUpdate): string {
  const { add_categories: added, remove_categories: removed } = changes;
  if (!added && !removed) return stored;
  const config = FeedbackConfig.parse(JSON.parse(stored));
  if (config.type !== 'categorical') {
    throw invalid(['body', 'feedback_key'], `Feedback '${changes.feedback_key}' has no categories.`);
  }
  const categories = [...(config.categories ?? [])];
  for (const value of removed ?? []) {
    const at = categories.findIndex((category) => category.value === value);
    if (at === -1) throw invalid(['body', 'remove_categories'], `No category has the value ${value}.`);
    categories.splice(at, 1);
  }
  for (const category of added ?? []) {
    const { value, label } = category;
    if (categories.some((known) => known.value === value || (label && known.label === label))) {
      throw invalid(
        ['body', 'add_categories'],
        `A category with the value ${value} or the label '${label}' already exists.`,
      );
    }
    categories.push(category);
  }
  return JSON.stringify({ ...config, categories });
}

/** Deletes the configuration of a key. @throws HttpError 404 */
export function deleteFeedbackConfig(
  { db, caches }: WriterContext,
  request: { workspaceId: string; key: string },
): void {
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  const { changes } = db
    .statement('DELETE FROM feedback_configs WHERE workspace = ? AND name = ?')
    .run(workspace, request.key);
  if (Number(changes) === 0) throw notFound('Feedback config', request.key);
}

/** Reads one page of the configurations that match a query. */
export function listFeedbackConfigs(
  { db }: ReaderContext,
  request: { workspaceId: string; query: FeedbackConfigsQuery },
): FeedbackConfigRead[] {
  const { query } = request;
  let rows = db.build
    .selectFrom('feedback_configs')
    .selectAll()
    .where('workspace', '=', findWorkspaceKeyOrNone(db, request.workspaceId));
  if (query.key !== undefined) rows = rows.where('name', 'in', query.key);
  if (query.name_contains !== undefined) rows = rows.where(containsText('name', query.name_contains));
  return db
    .all(
      rows
        .orderBy('modified_at', query.sort_by_desc ? 'desc' : 'asc')
        .orderBy('name')
        .limit(query.limit)
        .offset(query.offset),
    )
    .map((row) => configOf(row, request.workspaceId));
}

function find(db: WriterContext['db'], workspace: number, name: string) {
  return db.get(
    db.build
      .selectFrom('feedback_configs')
      .selectAll()
      .where('workspace', '=', workspace)
      .where('name', '=', name),
  );
}

function configOf(row: Selectable<FeedbackConfigTable>, workspaceId: string): FeedbackConfigRead {
  return {
    feedback_key: row.name,
    feedback_config: JSON.parse(row.config),
    tenant_id: workspaceId,
    modified_at: formatTime(row.modified_at),
    is_lower_score_better: row.is_lower_score_better === 1,
  };
}
