import type { PlatformConnection } from '../connections/connection.ts';
import type { RevisionNumbers } from '../deployments/revision-numbers.ts';
import type { TreeElement } from './tree.ts';

/** The state of revision rows that is kept between two reads of the tree. */
export interface RevisionRows {
  /** How many revisions a deployment shows, by the ID of its row. */
  readonly shown: Map<string, number>;
  readonly numbers: RevisionNumbers;
}

/** The part of a platform's row that the rows below need. */
export interface ConnectionRow extends TreeElement {
  readonly connection: PlatformConnection;
  readonly revisions: RevisionRows;
}
