/** The address of a link (docs/interface/tracing.md#feedback). */
export function linkOf(baseUrl: string, tokenId: string): string {
  return `${baseUrl}/api/v1/feedback/tokens/${tokenId}`;
}

/** The address of each key's link, in the form of the `feedback` event of a run's stream. */
export function linksOf(
  baseUrl: string,
  keys: readonly string[],
  ids: readonly string[],
): Record<string, string> {
  return Object.fromEntries(keys.map((key, at) => [key, linkOf(baseUrl, ids[at] ?? '')]));
}
