import { ArgumentError } from './argument-error.ts';
import { VARIABLES } from './environment-values.ts';
import { HttpError } from './http/errors.ts';

const ROLES = ['api', 'runs', 'builds', 'traces'] as const;
type Role = (typeof ROLES)[number];

/**
 * What a server of a team does. `api` answers requests to deployments and to the control plane, and so does each server
 * that runs graphs or builds; `traces` takes in and answers traces.
 */
export type Roles = ReadonlySet<Role>;

const ALL_ROLES: Roles = new Set(ROLES);

/** @returns all for an empty text. @throws ArgumentError for what is no role. */
export function readRoles(text = ''): Roles {
  if (text.trim() === '') return ALL_ROLES;
  const named = text.split(',').map((name) => name.trim());
  const roles = ROLES.filter((role) => named.includes(role));
  const unknown = named.find((name) => !ROLES.some((role) => role === name));
  if (unknown === undefined) return new Set(roles);
  throw new ArgumentError(
    `${VARIABLES.roles} must name ${ROLES.join(', ')} or several of them with commas between, not '${unknown}'.`,
  );
}

/** What a server does: all, but for one of a team that is told otherwise. */
export function rolesOf({
  team,
  imageAgent,
}: {
  team?: { readonly roles: Roles } | undefined;
  imageAgent?: { readonly roles: Roles } | undefined;
}): Roles {
  return (team ?? imageAgent)?.roles ?? ALL_ROLES;
}

/** Whether a server answers requests to deployments and to the control plane. */
export function servesDeployments(roles: Roles): boolean {
  return roles.has('api') || roles.has('runs') || roles.has('builds');
}

/** Whether a server loads graphs before anything asks for them: to run them, or to try what it has built. */
export function loadsGraphs(roles: Roles): boolean {
  return roles.has('runs') || roles.has('builds');
}

/** Why a server does not answer: clients and load balancers that try again reach another one. */
export function otherRole(): HttpError {
  return new HttpError(
    503,
    `This server has another role in its team (${VARIABLES.roles}). Send this request to a server whose roles include traces for traces, or api for deployments.`,
    { 'retry-after': '1' },
  );
}
