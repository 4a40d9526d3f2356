import type { RunRead } from '../contract/tracing/runs.ts';

/** A run with everything that an export needs, as far as the platform says it. */
export type ExportedRun = { readonly [Field in keyof RunRead]?: RunRead[Field] | undefined } & {
  readonly id: string;
  readonly dotted_order: string;
};
