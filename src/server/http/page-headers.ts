/** The headers a page of a list carries; `next` only when there is more (public facts, C.1). */
export function pageHeaders(
  page: { readonly offset: number },
  count: number,
  total: number,
): Record<string, string> {
  const next = page.offset + count;
  return {
    'x-pagination-total': String(total),
    ...(count > 0 && next < total ? { 'x-pagination-next': String(next) } : {}),
  };
}
