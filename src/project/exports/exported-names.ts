/** What a module exports, as far as its text tells. */
export interface ExportedNames {
  /** Where each name is written, and what it evidently is. */
  readonly names: ReadonlyMap<string, ExportedName>;
  /** Modules whose exports are exports of this one too: `export * from './other'`. */
  readonly from: readonly string[];
  /** Whether there can be no others. False for what only running it would tell, and for text that does not parse. */
  readonly isComplete: boolean;
}

export interface ExportedName {
  readonly start: number;
  readonly end: number;
  /** Said of what can be no graph: `a number`, `a string`. */
  readonly notAGraph?: string | undefined;
}
