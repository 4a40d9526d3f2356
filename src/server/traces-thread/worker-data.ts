import type { PricesOfProject } from '../tracing/prices/price-book.ts';

/** The data that the threads of traces are started with. */
export type TracesWorkerData = {
  readonly dataDir: string;
  readonly database: TeamTraces | undefined;
  /** For links to attachments. */
  readonly linkSecret: string;
  readonly baseUrl: string;
} & (
  | {
      readonly role: 'write';
      readonly version: string | undefined;
      /** Whether this server has an object store. */
      readonly hasObjects: boolean;
      /** The folders of projects that may have prices of their own. */
      readonly prices?: readonly PricesOfProject[];
    }
  | { readonly role: 'read' }
);

/** The database of a team, in place of `traces.db`. */
export interface TeamTraces {
  readonly url: string;
  /** The URL of a standby of it, which is asked about traces first. */
  readonly replica?: string | undefined;
  /** The entry of the threads that connect to it. */
  readonly link: string;
  /** Whether this server may maintain the database, which one server of the team does; by default, it may. */
  readonly maintains?: boolean | undefined;
}
