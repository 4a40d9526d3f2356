import { ArgumentError } from './argument-error.ts';
import { VARIABLES } from './environment-values.ts';

const ROLES = ['api', 'runs', 'builds'] as const;
type Role = (typeof ROLES)[number];

/** What a server of a team does beside answering requests, which all of them do. */
export type Roles = ReadonlySet<Role>;

export const ALL_ROLES: Roles = new Set(ROLES);

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
