/** The exports that are visible in the text of a module. */
export interface ExportedNames {
  /** The position of each name, and its evident kind. */
  readonly names: ReadonlyMap<string, ExportedName>;
  /** Modules whose exports this one exports, too: `./other` in `export * from './other'`. */
  readonly from: readonly string[];
  /**
   * Whether the list is complete. False if only running the module would show all exports, or if the module
   * does not parse.
   */
  readonly isComplete: boolean;
}

export interface ExportedName {
  readonly start: number;
  readonly end: number;
  /** A description of an export that cannot be a graph, such as `a number`; undefined for all others. */
  readonly notAGraph?: string | undefined;
  /** The text of the export's value or declaration, with decorators, if the module contains that text. */
  readonly source?: string | undefined;
}
