import type { Client } from '../client/client.ts';
import { eachPage } from '../client/each-page.ts';
import { isUnknownEndpoint } from '../client/is-unknown-endpoint.ts';
import type { CallOptions } from '../client/transport.ts';

/**
 * Reads the feedback keys for which a lower score is better: none if the platform has no feedback configurations.
 * @throws RequestError
 */
export async function readLowerIsBetter(
  { tracing }: Pick<Client, 'tracing'>,
  options: CallOptions = {},
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  try {
    const idOf = ({ feedback_key }: { readonly feedback_key: string }) => feedback_key;
    const pages = eachPage({ idOf }, (query) => tracing.feedbackConfigs.list({ query }, options));
    for await (const page of pages)
      for (const { feedback_key, is_lower_score_better } of page)
        if (is_lower_score_better) found.add(feedback_key);
  } catch (error) {
    if (!isUnknownEndpoint(error)) throw error;
  }
  return found;
}
