import { createHash } from 'node:crypto';
import { isObject } from '../../../process/objects.ts';
import type { Label } from '../context/label.ts';
import type { LabelType } from '../database/traces-schema.ts';

/** Longer values are stored as hashes, so they can only be found, and purged, by the whole value. */
const MAX_VALUE_LENGTH = 1000;
/**
 * A run cannot be found by tags and metadata beyond this number, because each costs a row. All of them are
 * shown with the run.
 */
const MAX_LABELS = 1000;

/** The labels by which a run can be found: its tags, and the scalars at the top level of its metadata. */
export function labelsOf(metadata: unknown, tags: readonly string[]): Label[] {
  const labels: Label[] = tags.map((tag) => ({ kind: 'tag', name: tag, value: '', type: 'text' }));
  if (isObject(metadata)) {
    for (const name of Object.keys(metadata)) {
      const value = metadata[name];
      const text = labelValue(value);
      if (text !== undefined) labels.push({ kind: 'metadata', name, value: text, type: labelType(value) });
    }
  }
  return labels.length <= MAX_LABELS ? labels : labels.slice(0, MAX_LABELS);
}

/** The text form in which scalars are stored and compared, such as `true` and `1`; undefined for other values. */
export function labelValue(value: unknown): string | undefined {
  if (typeof value === 'string') return value.length <= MAX_VALUE_LENGTH ? value : hashOf(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return undefined;
}

/** The type of a scalar, which distinguishes it from others with the same text. */
export function labelType(value: unknown): LabelType {
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'text';
}

function hashOf(value: string): string {
  return `sha256:${createHash('sha256').update(value).digest('hex')}`;
}
