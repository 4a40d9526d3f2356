/**
 * Calls functions, `perTurn` of them in each turn of the event loop. The first ones are called immediately.
 */
export function callInTurns(functions: readonly (() => void)[], perTurn: number): void {
  for (const call of functions.slice(0, perTurn)) call();
  const others = functions.slice(perTurn);
  if (others.length > 0) setImmediate(() => callInTurns(others, perTurn));
}
