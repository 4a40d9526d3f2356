import type { PlatformConnection } from '../connections/connection.ts';
import type { RevisionNumbers } from '../deploy/revision-numbers.ts';
import type { TreeElement } from './tree.ts';

/** Kept of the revisions of deployments while their rows are read again. */
export interface RevisionRows {
  /** How many a deployment shows, by the id of its row. */
  readonly shown: Map<string, number>;
  readonly numbers: RevisionNumbers;
}

/** The row of a platform, as the rows below it know it. */
export interface ConnectionRow extends TreeElement {
  readonly connection: PlatformConnection;
  readonly revisions: RevisionRows;
}
