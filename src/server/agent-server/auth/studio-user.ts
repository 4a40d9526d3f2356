import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../../http/caller.ts';

/** The header by which the public studio, the panels and the command line identify as the server's owner. */
const SCHEME = 'x-auth-scheme';
const STUDIO = 'langsmith';

/** Whether a request has the header of the studio. */
export function asksAsStudio(headers: IncomingHttpHeaders): boolean {
  return headers[SCHEME] === STUDIO;
}

const IDENTITY = 'langgraph-studio-user';
const PERMISSIONS = ['authenticated'];

/**
 * The user that a project's own handlers see for a request of the studio. They recognize it with
 * `isStudioUser(user)` or `isinstance(user, Auth.types.StudioUser)`.
 */
export const STUDIO_USER: NonNullable<Caller['user']> = {
  identity: IDENTITY,
  permissions: PERMISSIONS,
  fields: {
    kind: 'StudioUser',
    identity: IDENTITY,
    display_name: IDENTITY,
    is_authenticated: true,
    permissions: PERMISSIONS,
  },
};
