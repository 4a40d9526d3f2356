import { ArgumentError } from './argument-error.ts';
import { VARIABLES } from './environment-values.ts';
import { HttpError } from './http/errors.ts';

const ROLES = ['api', 'runs', 'builds', 'traces'] as const;
export type Role = (typeof ROLES)[number];

/**
 * The roles of a server of a team. `api` answers requests to deployments and to the control plane, as does each
 * server that runs graphs or builds; `traces` receives and returns traces.
 */
export type Roles = ReadonlySet<Role>;

/** The default roles of a server. */
export const ALL_ROLES: Roles = new Set(ROLES);
/** The roles that are possible for servers of an agent without a platform. */
export const AGENT_ROLES = new Set(['api', 'runs'] as const);

/** Reads the roles of a server. @returns all roles for an empty text. @throws ArgumentError for an unknown role. */
export function readRoles(text = ''): Roles {
  return new Set(readNames(text, ROLES, ''));
}

/**
 * Reads the roles of a server that serves an agent without a platform. Such a server cannot build, and always
 * has the role `traces`, because no other server stores the traces of its graphs.
 * @throws ArgumentError
 */
export function readAgentRoles(text = ''): Roles {
  const named = readNames(text, [...AGENT_ROLES], ' for an agent without a platform');
  return new Set<Role>([...named, 'traces']);
}

/** Reads names separated by commas. @param where added to the error. @returns all known names for an empty text. */
function readNames<Name extends Role>(text: string, known: readonly Name[], where: string): readonly Name[] {
  if (text.trim() === '') return known;
  const named = text.split(',').map((name) => name.trim());
  const unknown = named.find((name) => !known.some((role) => role === name));
  if (unknown === undefined) return known.filter((role) => named.includes(role));
  throw new ArgumentError(
    `${VARIABLES.roles} must name ${known.join(', ')} or several of them separated by commas${where}, not '${unknown}'.`,
  );
}

/** Whether a server answers requests to deployments and to the control plane. */
export function servesDeployments(roles: Roles): boolean {
  return roles.has('api') || roles.has('runs') || roles.has('builds');
}

/** Whether a server loads graphs before they are requested, to run them or to test a build. */
export function loadsGraphs(roles: Roles): boolean {
  return roles.has('runs') || roles.has('builds');
}

/** The error of a server without the required role. Its status makes clients and load balancers try another server. */
export function otherRole(): HttpError {
  return new HttpError(
    503,
    `This server has another role in its team (${VARIABLES.roles}). Send this request to a server whose roles include traces for traces, or api for deployments.`,
    { 'retry-after': '1' },
  );
}
