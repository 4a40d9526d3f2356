import type { Operations } from './worker-thread.ts';

/** Operations with the context they work in filled in, as a thread's loop calls them. */
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
