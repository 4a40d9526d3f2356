import type { Client } from '../client/client.ts';
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
    for (let offset = 0; ; offset += 100) {
      const page = await tracing.feedbackConfigs.list({ query: { limit: 100, offset } }, options);
      for (const { feedback_key, is_lower_score_better } of page)
        if (is_lower_score_better) found.add(feedback_key);
      if (page.length < 100) return found;
    }
  } catch (error) {
    if (isUnknownEndpoint(error)) return found;
    throw error;
  }
}
