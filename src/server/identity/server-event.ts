import type { Kysely } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { StateSchema } from '../storage/state-schema.ts';

/** Stores an event that the start of a server causes, in the audit log of the whole machine or team. */
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
