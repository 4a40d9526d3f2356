import type { Client } from './client.ts';
import { RequestError } from './request-error.ts';
import type { CallOptions } from './transport.ts';

/**
 * Whether a platform is an Agent Harbor server, on this machine or of a team, which understands `dry_run` and `before`
 * and has jobs. Any other platform would delete immediately instead of previewing.
 * @throws RequestError when the platform cannot be reached; the signal's reason when aborted.
 */
export async function isHarbor(
  { tracing }: Pick<Client, 'tracing'>,
  { signal }: CallOptions = {},
): Promise<boolean> {
  try {
    return (await tracing.info.info({}, { signal, retries: 0 })).harbor_version !== undefined;
  } catch (error) {
    const isAnotherPlatform =
      error instanceof RequestError && (error.problem === 'status' || error.problem === 'unreadable');
    if (isAnotherPlatform) return false;
    throw error;
  }
}
