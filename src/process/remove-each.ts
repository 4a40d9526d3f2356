/**
 * Removes all items, continuing after a failure.
 * @throws the first error, once all removals have been tried.
 */
export async function removeEach<Item>(
  items: Iterable<Item>,
  remove: (item: Item) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items)
    await remove(item).catch((error: unknown) => {
      failures.push(error);
    });
  if (failures.length > 0) throw failures[0];
}
