import type { Client } from '../client/client.ts';
import { RequestError } from '../client/request-error.ts';
import type { CallOptions } from '../client/transport.ts';

/**
 * Whether a platform is an Agent Harbor server, which understands `dry_run` and `before` and has jobs. Any
 * other platform would delete immediately instead of previewing.
 * @throws RequestError when the platform cannot be reached; the signal's reason when aborted.
 */
export async function isHarbor(
  { harbor }: Pick<Client, 'harbor'>,
  { signal }: CallOptions = {},
): Promise<boolean> {
  try {
    return (await harbor.handshake({}, { signal, retries: 0 })).harbor_protocol > 0;
  } catch (error) {
    const isAnotherPlatform =
      error instanceof RequestError && (error.problem === 'status' || error.problem === 'unreadable');
    if (isAnotherPlatform) return false;
    throw error;
  }
}
