interface PagesOptions<Item> {
  /** An ID of an item, by which a page is recognized that was read before. */
  readonly idOf: (item: Item) => string | undefined;
  /** The most items that the platform returns at once. */
  readonly pageSize?: number;
  /** How many items to skip. */
  readonly from?: number;
  /** The most items to read. */
  readonly limit?: number;
}

/**
 * Reads a list page by page, until a page is not full. A platform that ignores `offset` sends the same page again; it is
 * read only once.
 * @throws the error of `read` while iterating
 */
export async function* eachPage<Item>(
  options: PagesOptions<Item>,
  read: (page: { readonly limit: number; readonly offset: number }) => Promise<readonly Item[]>,
): AsyncGenerator<readonly Item[], void, undefined> {
  const { idOf, pageSize = 100, from = 0, limit = Number.POSITIVE_INFINITY } = options;
  const firstIds = new Set<string>();
  for (let count = 0; count < limit; ) {
    const size = Math.min(pageSize, limit - count);
    const page = await read({ limit: size, offset: from + count });
    const [first] = page;
    if (first === undefined) return;
    const id = idOf(first);
    if (id !== undefined && firstIds.has(id)) return;
    if (id !== undefined) firstIds.add(id);
    yield page.slice(0, limit - count);
    if (page.length < size) return;
    count += page.length;
  }
}
