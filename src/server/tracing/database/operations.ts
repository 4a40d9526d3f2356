import type { Transferable } from 'node:worker_threads';

/** Operations of a storage thread by name, without the context that the thread adds. */
export type OperationsOf<Table, Context> = {
  readonly [Name in keyof Table]: Table[Name] extends (context: Context, argument: infer A) => infer R
    ? (argument: A) => R
    : never;
};

type Argument<Operation> = Operation extends (argument: infer A) => unknown ? A : never;
type Result<Operation> = Operation extends (argument: never) => infer R ? Awaited<R> : never;

/**
 * Calls an operation of a storage thread by its name; a write has been committed when the call resolves.
 * @param transfer buffers of the argument that are transferred instead of copied.
 */
export type Call<Table> = <Name extends keyof Table & string>(
  operation: Name,
  argument: Argument<Table[Name]>,
  transfer?: readonly Transferable[],
) => Promise<Result<Table[Name]>>;
