import type { LabelType } from '../database/traces-schema.ts';

export interface Label {
  readonly kind: 'metadata' | 'tag';
  readonly name: string;
  readonly value: string;
  readonly type: LabelType;
}
