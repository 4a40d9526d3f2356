import { identity as identityEndpoints } from '../../contract/identity.ts';
import type { Router } from '../http/router.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import { IdentityAdministration } from './administration.ts';
import type { Identity } from './identity.ts';
import { identityHandlers } from './identity-handlers.ts';
import type { WorkspaceDeletion } from './workspace-deletion.ts';

/** Organizations, workspaces and keys, where public clients look for them. */
export function mountIdentity(
  router: Router,
  { db, identity, deletion }: { db: StateDatabase; identity: Identity; deletion: WorkspaceDeletion },
): void {
  const handlers = identityHandlers(new IdentityAdministration(db, identity), deletion);
  router.mount(identityEndpoints, handlers, ['', '/api/v1']);
}
