/**
 * The pagination headers of one page of a list (docs/interface/agent-server.md#identity-and-defaults).
 * @param count the number of items on this page.
 * @param total the number of items on all pages.
 */
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
