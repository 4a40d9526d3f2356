import type { BoundStatement } from '../../storage/sync-database.ts';
import type { IngestCaches } from '../context/ingest-caches.ts';
import type { Label } from '../context/label.ts';
import type { RowKeys } from '../database/row-keys.ts';
import type { TracesDatabase } from '../database/traces-database.ts';

/**
 * The numbers of new labels per statement, with smaller ones for the rest, because SQLite creates a temporary table for
 * returned rows.
 */
const LABELS_AT_ONCE = [16, 4, 1];
const INSERT_LABELS = LABELS_AT_ONCE.map((count) => ({
  count,
  sql: `INSERT INTO labels (key, session, kind, name, value, type) VALUES ${Array(count).fill('(?, ?, ?, ?, ?, ?)').join(', ')}
    ON CONFLICT DO NOTHING RETURNING key`,
}));
const FIND_LABEL =
  'SELECT key FROM labels WHERE session = ? AND kind = ? AND name = ? AND value = ? AND type = ?';

/** A label of a project. */
interface OwnedLabel {
  readonly session: number;
  readonly label: Label;
}

/** Labels of one project, such as those of a run. */
export interface LabelsOfProject {
  readonly session: number;
  readonly labels: readonly Label[];
}

/** Loads the keys of labels that are not cached; new labels are stored and get a key. */
export function learnLabels(
  db: TracesDatabase,
  caches: IngestCaches,
  keys: RowKeys,
  wanted: Iterable<LabelsOfProject>,
): void {
  const unknown = new Map<string, OwnedLabel>();
  for (const { session, labels } of wanted) {
    for (const label of labels) {
      if (caches.labels.get(session, label) !== undefined) continue;
      const { kind, type, name, value } = label;
      unknown.set([session, kind, type, name, value].join('\0'), { session, label });
    }
  }
  if (unknown.size === 0) return;
  // Most labels that are not cached are new, such as the IDs of threads and checkpoints.
  const given = [...unknown.values()].map((owned) => ({ ...owned, key: keys.next('labels') }));
  const answers = db.allOf(insertsOf(given));
  const stored = new Set(answers.flat().map(({ key }) => key));
  for (const { session, label, key } of given) if (stored.has(key)) caches.labels.set(session, label, key);
  const old = given.filter(({ key }) => !stored.has(key));
  if (old.length === 0) return;
  const found = db.allOf(
    old.map((label): BoundStatement<{ key: number }> => ({ sql: FIND_LABEL, values: columnsOf(label) })),
  );
  for (const [index, { session, label }] of old.entries()) {
    const key = found[index]?.[0]?.key;
    if (key !== undefined) caches.labels.set(session, label, key);
  }
}

function columnsOf({ session, label: { kind, name, value, type } }: OwnedLabel): unknown[] {
  return [session, kind, name, value, type];
}

/** Statements that store labels, and return the keys of those that are new. */
function insertsOf(
  labels: readonly (OwnedLabel & { readonly key: number })[],
): BoundStatement<{ key: number }>[] {
  const statements: BoundStatement<{ key: number }>[] = [];
  let at = 0;
  for (const { count, sql } of INSERT_LABELS) {
    for (; labels.length - at >= count; at += count) {
      const values = labels.slice(at, at + count).flatMap((label) => [label.key, ...columnsOf(label)]);
      statements.push({ sql, values });
    }
  }
  return statements;
}
