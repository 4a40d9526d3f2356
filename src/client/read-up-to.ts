import { eachPage } from './each-page.ts';

interface Found<Item> {
  readonly found: readonly Item[];
  readonly isMore: boolean;
}

/**
 * Reads at most a number of items page by page, and whether there are more.
 * @throws the error of `read`
 */
export async function readUpTo<Item extends { readonly id?: string | undefined }>(
  wanted: number,
  read: (page: { readonly limit: number; readonly offset: number }) => Promise<readonly Item[]>,
): Promise<Found<Item>> {
  // An item that changes between two requests moves in the list, and can be on both pages.
  const found = new Map<string | undefined, Item>();
  let count = 0;
  for await (const page of eachPage({ idOf: ({ id }: Item) => id, limit: wanted + 1 }, read)) {
    count += page.length;
    for (const item of page) found.set(item.id, item);
  }
  return { found: [...found.values()].slice(0, wanted), isMore: count > wanted };
}
