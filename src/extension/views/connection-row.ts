import type { PlatformConnection } from '../connections/connection.ts';
import type { TreeElement } from './tree.ts';

/** The row of a platform, as the rows below it know it. */
export interface ConnectionRow extends TreeElement {
  readonly connection: PlatformConnection;
  /** How many revisions each deployment shows, by the id of its row. */
  readonly shown: Map<string, number>;
}
