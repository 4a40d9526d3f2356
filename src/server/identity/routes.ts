import { audit } from '../../contract/audit.ts';
import { identity as identityEndpoints } from '../../contract/identity.ts';
import { workspaceLimits } from '../../contract/workspace-limits.ts';
import type { Router } from '../http/router.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import { IdentityAdministration } from './administration.ts';
import { AuditLog } from './audit-log.ts';
import type { Identity } from './identity.ts';
import { identityHandlers } from './identity-handlers.ts';
import type { WorkspaceDeletion } from './workspace-deletion.ts';
import type { WorkspaceLimiter } from './workspace-limits.ts';

/** Mounts the audit log. @returns the part that writes it. */
export function mountAudit(
  router: Router,
  db: StateDatabase,
  options: ConstructorParameters<typeof AuditLog>[1],
): AuditLog {
  const log = new AuditLog(db, options);
  router.mount(audit, { list: ({ caller, query }, response) => log.write(caller, query, response) });
  return log;
}

/** Mounts the limits of workspaces. */
export function mountWorkspaceLimits(router: Router, limiter: WorkspaceLimiter): void {
  router.mount(workspaceLimits, {
    get: ({ caller }) => limiter.read(caller.workspaceId),
    set: ({ caller, body }) => limiter.set(caller, body),
  });
}

/** Mounts organizations, workspaces and keys, also at the paths that public clients use. */
export function mountIdentity(
  router: Router,
  { db, identity, deletion }: { db: StateDatabase; identity: Identity; deletion: WorkspaceDeletion },
): void {
  const handlers = identityHandlers(new IdentityAdministration(db, identity), deletion);
  router.mount(identityEndpoints, handlers, ['', '/api/v1']);
}
