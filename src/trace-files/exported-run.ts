import type { RunRead } from '../contract/tracing/runs.ts';

/** A run as the platform returns it, with the fields that every export needs. */
export type ExportedRun = { readonly [Field in keyof RunRead]?: RunRead[Field] | undefined } & {
  readonly id: string;
  readonly dotted_order: string;
};
