import { OWN_KEY } from './home.ts';
import type { Identity } from './identity/identity.ts';
import { storeServerEvent } from './identity/server-event.ts';
import type { Logger } from './logger.ts';
import type { StateDatabase } from './storage/state-database.ts';

/** The owner's keys that a server was given. They replace a generated key. */
export interface GivenOwnerKeys {
  readonly apiKey: string | undefined;
  /** The previous key, which stays valid until a server starts without it. */
  readonly previousApiKey: string | undefined;
}

/** The name of the owner's previous key while it is being replaced. */
const LEAVING_KEY = 'This machine, until its key has changed';

/**
 * Replaces the owner's key with the given one. The previous key stays valid until a server starts with only
 * the new one. A server that restarts with only the previous key changes nothing, so that servers can be
 * restarted one after the other. Servers must not call this at the same time.
 */
export async function settleOwnerKeys(
  { db, identity, organizationId }: { db: StateDatabase; identity: Identity; organizationId: string },
  { apiKey, previousApiKey }: GivenOwnerKeys,
  logger: Logger,
): Promise<void> {
  if (apiKey === undefined) return;
  const named = await identity.readKeyName(apiKey);
  if (previousApiKey !== undefined && (await identity.readKeyName(previousApiKey)) !== undefined) {
    await identity.renameKey(previousApiKey, LEAVING_KEY);
    if (named !== undefined) await identity.renameKey(apiKey, OWN_KEY);
    // Revokes keys that are left over from an earlier change.
    await identity.revokeKeys({ names: [OWN_KEY, LEAVING_KEY], besides: [apiKey, previousApiKey] });
    if (named === undefined) await storeServerEvent(db, organizationId, 'owner-key.add');
    return;
  }
  if (previousApiKey !== undefined)
    logger.warn(
      'AGENT_HARBOR_PREVIOUS_API_KEY is ignored, because it is not the key that the server accepted before',
    );
  if (named === LEAVING_KEY) return;
  const ended = named === undefined ? [OWN_KEY, LEAVING_KEY] : [LEAVING_KEY];
  const revoked = await identity.revokeKeys({ names: ended, besides: [apiKey] });
  if (revoked === 0) return;
  // This is intended when a key is changed, but a mistake when machines were given different keys.
  logger.warn('AGENT_HARBOR_API_KEY has changed; the previous key is refused from now on');
  await storeServerEvent(db, organizationId, 'owner-key.replace');
}
