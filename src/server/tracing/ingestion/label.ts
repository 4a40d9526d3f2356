export interface Label {
  readonly kind: 'metadata' | 'tag';
  readonly name: string;
  readonly value: string;
}
