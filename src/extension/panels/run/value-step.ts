/** A step that changed a value. */
export interface ValueStep {
  readonly checkpoint_id: string;
  /** The number of the superstep; 0 if the server does not report it. */
  readonly step: number;
  readonly created_at: string | undefined;
  readonly source: 'input' | 'loop' | 'update' | 'fork';
  /** The nodes that wrote the value; empty for an input, or if they are unknown. */
  readonly nodes: readonly string[];
  /** The writes of these nodes, unless the single write is the value itself. */
  readonly written?: readonly unknown[];
  /** Whether what was written replaced the value, or went through a reducer. */
  readonly how: 'replaced' | 'reduced' | 'unknown';
  /** The name of the reducer; empty if it has no name, or the name is unknown. */
  readonly reducer: string | undefined;
  /** Absent if the key no longer has a value. */
  readonly value?: unknown;
  /** The value before the step; absent if the key had none. */
  readonly before?: unknown;
}

export interface ValueHistory {
  /** Newest first: the shown state and its ancestors, but only those that changed the value. */
  readonly steps: readonly ValueStep[];
}
