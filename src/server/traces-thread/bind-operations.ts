import type { Operations } from './worker-thread.ts';

/** Binds operations to their context, for a thread's loop. */
export function bindOperations<Context>(
  operations: Readonly<Record<string, (context: Context, argument: never) => unknown>>,
  context: Context,
): Operations {
  return Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      (argument: never) => operation(context, argument),
    ]),
  );
}
