/** Operations of a thread by name, bound to their context. */
export type Operations = Readonly<Record<string, (argument: never) => unknown>>;

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
