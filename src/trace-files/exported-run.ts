import type { RunRead } from '../contract/tracing/runs.ts';

/** A run with everything that the platform returns and an export needs. */
export type ExportedRun = { readonly [Field in keyof RunRead]?: RunRead[Field] | undefined } & {
  readonly id: string;
  readonly dotted_order: string;
};
