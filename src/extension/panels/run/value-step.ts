/** A step that changed a value. */
export interface ValueStep {
  readonly checkpoint_id: string;
  readonly step: number;
  readonly created_at: string | undefined;
  readonly source: 'input' | 'loop' | 'update' | 'fork';
  /** The nodes that wrote it; none for an input, or when it is not known. */
  readonly nodes: readonly string[];
  /** The writes of each of them, if they are not the value itself. */
  readonly written?: readonly unknown[];
  /** Whether what was written replaced the value, or went through a reducer. */
  readonly how: 'replaced' | 'reduced' | 'unknown';
  /** The name of the reducer; empty when it has none, or is not known. */
  readonly reducer: string | undefined;
  /** Absent when the key no longer has a value. */
  readonly value?: unknown;
  readonly before?: unknown;
}

export interface ValueHistory {
  /** Newest first: the shown state and its ancestors, but only those that changed the value. */
  readonly steps: readonly ValueStep[];
}
