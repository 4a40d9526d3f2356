import { sentenceOf } from './errors.ts';

/**
 * Changes items one after the other, until one fails.
 * @param explain says how many were changed before the one that failed, and why it did
 * @throws the error of `change` for the first item; after it, an Error with the explanation
 */
export async function changeOneByOne<Item>(
  items: readonly Item[],
  change: (item: Item) => Promise<void>,
  explain: (done: number, failed: Item, reason: string) => string,
): Promise<void> {
  for (const [done, item] of items.entries()) {
    try {
      await change(item);
    } catch (error) {
      if (done === 0) throw error;
      throw new Error(explain(done, item, sentenceOf(error)), { cause: error });
    }
  }
}
