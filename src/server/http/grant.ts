import { z } from 'zod';
import { type RequiredRight, RIGHTS, type Right } from '../../contract/endpoint.ts';
import { forbidden, HttpError } from './errors.ts';

/** The rights and projects of a key. */
export interface Grant {
  readonly rights: readonly Right[];
  /** The names of the projects to which `trace` applies; absent for all projects in the workspace. */
  readonly projects?: readonly string[] | undefined;
  /**
   * The deployment that the key was made for. The key cannot call any other, and is revoked with the
   * deployment.
   */
  readonly deploymentId?: string | undefined;
}

/** The columns of a key's row that hold its grant. */
export interface GrantColumns {
  readonly rights: string;
  readonly projects: string | null;
  readonly deployment_id: string | null;
}

const Names = z.array(z.string());

/** Reads a grant from its columns. Rights that only a newer version knows are ignored. */
export function readGrant({ rights, projects, deployment_id }: GrantColumns): Grant {
  const names = Names.parse(JSON.parse(rights));
  return {
    rights: RIGHTS.filter((right) => names.includes(right)),
    ...(projects === null ? {} : { projects: Names.parse(JSON.parse(projects)) }),
    ...(deployment_id === null ? {} : { deploymentId: deployment_id }),
  };
}

/** Writes a grant as columns, the reverse of `readGrant`. */
export function grantColumns({ rights, projects, deploymentId }: Grant): GrantColumns {
  return {
    rights: JSON.stringify(RIGHTS.filter((right) => rights.includes(right))),
    projects: projects === undefined ? null : JSON.stringify(projects),
    deployment_id: deploymentId ?? null,
  };
}

/** @throws HttpError 403 naming the right that the key lacks. */
export function requireRight(grant: Grant, right: Exclude<RequiredRight, 'owner'>): void {
  if (right === 'any' || grant.rights.includes(right)) return;
  const has = grant.rights.length === 0 ? 'none' : grant.rights.join(', ');
  throw new HttpError(
    403,
    grant.deploymentId === undefined
      ? `This requires the right '${right}'. The key has: ${has}. An administrator of the workspace can make a key with it (agent-harbor keys create --right ${right}).`
      : `This requires the right '${right}'. A deployment's own key can only send its traces and call its own agent. Make another key, and give it to the deployment as a secret with a different name.`,
    {},
    'missing_right',
  );
}

/**
 * Refuses a new key a right or project that the key of the requester does not have.
 * @param mine the requester's grant.
 * @throws HttpError 403
 */
export function requireAllOf(mine: Grant, { rights, projects }: Pick<Grant, 'rights' | 'projects'>): void {
  const missing = rights.find((right) => !mine.rights.includes(right));
  if (missing !== undefined) {
    throw forbidden(`Your key does not have the right '${missing}', so it cannot give it to another key.`);
  }
  if (mine.projects === undefined || !rights.includes('trace')) return;
  const other = projects?.find((name) => mine.projects?.includes(name) !== true);
  if (projects !== undefined && other === undefined) return;
  throw forbidden(
    other === undefined
      ? `Your key can send traces to some projects only. Name one or more of them (${mine.projects.join(', ')}).`
      : `Your key may not trace to project '${other}', so it cannot let another key do so.`,
  );
}
