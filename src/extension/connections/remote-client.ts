import type { Dispatcher } from 'undici';
import { Client } from '../../client/client.ts';
import {
  type Connection,
  type Credentials,
  cloudConnection,
  selfHostedConnection,
} from '../../client/connection.ts';
import { RequestError } from '../../client/request-error.ts';
import type { StoredConnection, StoredCredentials, StoredWorkspace } from './stored-connection.ts';

/** How long a remote platform may take to answer the first request. */
const PROBE_TIMEOUT_MS = 15_000;

interface RemoteClientParts {
  readonly stored: StoredConnection;
  readonly credentials: StoredCredentials;
  readonly dispatcher: Dispatcher;
  /** Called with every error that the client throws. */
  readonly onFailure?: (error: RequestError) => void;
}

/** A client of a remote platform. */
export function remoteClient({ stored, credentials, dispatcher, onFailure }: RemoteClientParts): Client {
  const { apiKey, headers } = credentials;
  return new Client({
    connection: connectionOf(stored, { apiKey, headers, tenantId: stored.workspace?.id }),
    dispatcher,
    ...(onFailure && { onFailure }),
  });
}

/** The addresses and credentials of a stored connection; only `self-hosted` and `agent-server` have a URL. */
function connectionOf({ kind, url = '' }: StoredConnection, credentials: Credentials): Connection {
  switch (kind) {
    case 'us':
    case 'eu':
      return cloudConnection(kind, credentials);
    case 'self-hosted':
      return selfHostedConnection(url, credentials);
    case 'agent-server':
      return { baseUrl: url, controlPlaneUrl: url, deploymentUrl: url, credentials };
  }
}

/** The result of a minimal request with the key. */
export type Probe =
  | { readonly found: 'ready' }
  /** The platform answered, but does not accept the key. */
  | { readonly found: 'refused'; readonly error: RequestError }
  /** The platform did not answer, or answered with an error other than a refusal, such as 500. */
  | { readonly found: 'unreachable'; readonly error: RequestError };

/** Checks that a platform responds and accepts the key. */
export async function probe(client: Client, kind: StoredConnection['kind']): Promise<Probe> {
  const options = { retries: 0, timeoutMs: PROBE_TIMEOUT_MS };
  try {
    if (kind === 'agent-server') await client.assistants.search({ body: { limit: 1 } }, options);
    else await client.deployments.list({ query: { limit: 1 } }, options);
    return { found: 'ready' };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return { found: error.status === 401 || error.status === 403 ? 'refused' : 'unreachable', error };
  }
}

/**
 * The workspaces that a key gives access to.
 * @returns undefined if the platform does not list them
 * @throws RequestError if the key is not accepted (401, 403), or the platform cannot be reached
 */
export async function listWorkspaces(client: Client): Promise<StoredWorkspace[] | undefined> {
  try {
    const workspaces = await client.identity.listWorkspaces({}, { retries: 0, timeoutMs: PROBE_TIMEOUT_MS });
    return workspaces.map(({ id, display_name }) => ({ id, name: display_name }));
  } catch (error) {
    if (error instanceof RequestError && (error.status === 404 || error.problem === 'unreadable'))
      return undefined;
    throw error;
  }
}
