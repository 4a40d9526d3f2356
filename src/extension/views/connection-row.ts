import type { PlatformConnection } from '../connections/connection.ts';
import type { RevisionNumbers } from '../deploy/revision-numbers.ts';
import type { TreeElement } from './tree.ts';

/** What is remembered about revisions between two reads. */
export interface RevisionRows {
  /** How many a deployment shows, by the id of its row. */
  readonly shown: Map<string, number>;
  readonly numbers: RevisionNumbers;
}

/** What the rows below a platform's row need from it. */
export interface ConnectionRow extends TreeElement {
  readonly connection: PlatformConnection;
  readonly revisions: RevisionRows;
}
