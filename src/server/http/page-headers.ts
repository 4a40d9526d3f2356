/**
 * The headers of a page of a list; `next` only if there is more (docs/interface/agent-server.md#identity-and-defaults).
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
