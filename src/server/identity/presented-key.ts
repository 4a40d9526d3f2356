import type { IncomingHttpHeaders } from 'node:http';
import { HttpError } from '../http/errors.ts';
import type { ActiveKey } from './key-lookup.ts';

/**
 * The API key or bearer token of a request; undefined if it has none.
 * @throws HttpError 401 for several different ones
 */
export function presentedKey(headers: IncomingHttpHeaders): string | undefined {
  const apiKey = single(headers, 'x-api-key', 401);
  if (apiKey !== undefined) return apiKey;
  const [scheme, token] = headers.authorization?.split(' ') ?? [];
  return scheme?.toLowerCase() === 'bearer' && token !== undefined && token !== '' ? token : undefined;
}

/**
 * The value of a header that a client may send twice, in different spellings; Node joins repeated headers
 * with a comma.
 * @throws HttpError when the values differ, because it is unclear which one is meant.
 */
function single(headers: IncomingHttpHeaders, name: string, status: number): string | undefined {
  const values = new Set(
    [headers[name] ?? []]
      .flat()
      .flatMap((value) => value.split(','))
      .map((value) => value.trim())
      .filter((value) => value !== ''),
  );
  if (values.size > 1)
    throw new HttpError(status, `The ${name} header has several different values. Send one.`);
  const [value] = values;
  return value;
}

/**
 * The workspace of a request.
 * @param isOwner whether the key is the owner's, whose default is its first workspace.
 * @throws HttpError 403 if the key is not linked to the workspace, or if it is linked to several and the
 * request names none.
 */
export function chooseWorkspace(
  { workspaceIds }: Pick<ActiveKey, 'workspaceIds'>,
  headers: IncomingHttpHeaders,
  isOwner: boolean,
): string {
  const wanted = single(headers, 'x-tenant-id', 403);
  const [only, ...others] = workspaceIds;
  if (wanted === undefined) {
    if (only !== undefined && (others.length === 0 || isOwner)) return only;
    throw new HttpError(
      403,
      'This API key requires workspace specification: send a workspace ID in the x-tenant-id header.',
      {},
      'org_scoped_key_requires_workspace',
    );
  }
  if (!workspaceIds.includes(wanted.toLowerCase())) {
    throw new HttpError(403, `This API key is not linked to workspace '${wanted}'.`);
  }
  return wanted.toLowerCase();
}
