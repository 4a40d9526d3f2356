import type { CreatedToken } from '../../feedback/tokens.ts';

/** The address at which feedback can be given with a token (docs/interface/tracing.md#feedback). */
export function linkOf(baseUrl: string, tokenId: string): string {
  return `${baseUrl}/api/v1/feedback/tokens/${tokenId}`;
}

/** The addresses of links by feedback key, in the form of the `feedback` event of a run's stream. */
export function linksOf(baseUrl: string, tokens: readonly CreatedToken[]): Record<string, string> {
  return Object.fromEntries(tokens.map(({ id, key }) => [key, linkOf(baseUrl, id)]));
}
