import type { Kysely } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { StateSchema } from '../storage/state-schema.ts';

/**
 * Stores an event of the whole machine or team in the audit log. No request causes these events: they are
 * changes of the owner's key at a start, and rotations of the secrets key.
 */
export async function storeServerEvent(
  db: Kysely<StateSchema>,
  organizationId: string,
  action: 'owner-key.add' | 'owner-key.replace' | 'secrets-key.rotate',
): Promise<void> {
  const event = {
    id: uuidv7(),
    organization_id: organizationId,
    workspace_id: null,
    at: new Date().toISOString(),
    actor: 'server',
    actor_name: null,
    action,
    subject: '{}',
    status: 200,
  };
  await db.insertInto('audit_events').values(event).execute();
}
