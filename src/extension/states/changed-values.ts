/**
 * The properties of a state that its document changes. Each has its whole value, which the graph's reducers
 * then combine with the current one. A property that the document lacks becomes null, because an update
 * cannot remove it.
 */
export function changedValues(
  before: unknown,
  after: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const known = new Map(Object.entries(typeof before === 'object' && before !== null ? before : {}));
  const changed = Object.entries(after).filter(
    ([name, value]) => !known.has(name) || JSON.stringify(known.get(name)) !== JSON.stringify(value),
  );
  const gone = [...known.keys()].filter((name) => !Object.hasOwn(after, name));
  return Object.fromEntries([...changed, ...gone.map((name) => [name, null] as const)]);
}
