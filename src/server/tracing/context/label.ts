import type { LabelType } from '../database/traces-schema.ts';

/** A tag, or a scalar in the metadata, by which a run can be found. */
export interface Label {
  readonly kind: 'metadata' | 'tag';
  /** The text of a tag, or the key of a metadata entry. */
  readonly name: string;
  /** The value of a metadata entry as text; empty for a tag. */
  readonly value: string;
  readonly type: LabelType;
}
