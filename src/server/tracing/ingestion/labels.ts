import type { TracesDatabase } from '../../storage/traces-database.ts';
import type { IngestCaches } from './ingest-caches.ts';
import { isObject } from './json-text.ts';

/** Longer values are kept with the run but cannot be searched by. */
const LONGEST_VALUE = 1000;
const MOST_LABELS = 200;

export interface Label {
  readonly kind: 'metadata' | 'tag';
  readonly name: string;
  readonly value: string;
}

/** What a run can be found by: its tags and the scalars at the top of its metadata. */
export function labelsOf(metadata: unknown, tags: readonly string[]): Label[] {
  const labels: Label[] = tags.map((tag) => ({ kind: 'tag', name: tag, value: '' }));
  if (isObject(metadata)) {
    for (const [name, value] of Object.entries(metadata)) {
      const text = labelValue(value);
      if (text !== undefined) labels.push({ kind: 'metadata', name, value: text });
    }
  }
  return labels.slice(0, MOST_LABELS);
}

/** How a scalar is compared: as text, `true` and `1` as clients write them in JSON. */
export function labelValue(value: unknown): string | undefined {
  if (typeof value === 'string') return value.length <= LONGEST_VALUE ? value : undefined;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return undefined;
}

/** Writes a run's labels. @returns their keys. */
export function storeLabels(
  db: TracesDatabase,
  caches: IngestCaches,
  session: number,
  run: number,
  labels: readonly Label[],
  known: ReadonlySet<number>,
): number[] {
  const keys: number[] = [];
  const insert = db.statement('INSERT OR IGNORE INTO run_labels (label, run) VALUES (?, ?)');
  for (const label of labels) {
    const key = labelKey(db, caches, session, label);
    if (known.has(key)) continue;
    insert.run(key, run);
    keys.push(key);
  }
  return keys;
}

function labelKey(db: TracesDatabase, caches: IngestCaches, session: number, label: Label): number {
  const cacheKey = `${session}\0${label.kind}\0${label.name}\0${label.value}`;
  const cached = caches.labels.get(cacheKey);
  if (cached !== undefined) return cached;
  const row =
    db
      .statement('SELECT key FROM labels WHERE name = ? AND value = ? AND kind = ? AND session = ?')
      .get(label.name, label.value, label.kind, session) ??
    db
      .statement('INSERT INTO labels (session, kind, name, value) VALUES (?, ?, ?, ?) RETURNING key')
      .get(session, label.kind, label.name, label.value);
  const key = Number(row?.key);
  caches.labels.set(cacheKey, key);
  return key;
}
