import type { PricesOfProject } from '../tracing/prices/price-book.ts';

/** The data with which tracing threads are started. */
export type TracesWorkerData = {
  readonly dataDir: string;
  readonly database: TeamTraces | undefined;
  /** The secret with which links to attachments are signed. */
  readonly linkSecret: string;
  readonly baseUrl: string;
} & (
  | {
      readonly role: 'write';
      readonly version: string | undefined;
      /** Whether this server has an object store. */
      readonly hasObjects: boolean;
      /** The folders of projects that may have their own prices. */
      readonly prices?: readonly PricesOfProject[];
    }
  | { readonly role: 'read' }
);

/** The database of a team, in place of `traces.db`. */
export interface TeamTraces {
  readonly url: string;
  /** The URL of a standby of the database, which is queried first. */
  readonly replica?: string | undefined;
  /** The entry point of the threads that connect to the database. */
  readonly link: string;
  /** Whether this server may maintain the database; true by default. Only one server of a team maintains it. */
  readonly maintains?: boolean | undefined;
}
