import { isObject } from '../../process/objects.ts';

/** A saved remote platform; its key is in VS Code's secret storage. */
export interface StoredConnection {
  readonly id: string;
  /** The user's name for the connection. */
  readonly label: string;
  readonly kind: ConnectionKind;
  /** The URL of a self-hosted installation or an agent server. */
  readonly url?: string | undefined;
  /** The workspace of the key, chosen at sign-in if the key gives access to several. */
  readonly workspace?: StoredWorkspace | undefined;
}

export interface StoredWorkspace {
  readonly id: string;
  readonly name: string;
}

/**
 * A region of the cloud, a whole platform at its own address, or a single agent server without a platform.
 */
export type ConnectionKind = 'us' | 'eu' | 'self-hosted' | 'agent-server';

/** The part of a connection that is in VS Code's secret storage. */
export interface StoredCredentials {
  readonly apiKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Reads the stored list of connections; entries in an unknown format are left out. */
export function parseConnections(kept: unknown): StoredConnection[] {
  return Array.isArray(kept) ? kept.filter(isStored) : [];
}

function isStored(value: unknown): value is StoredConnection {
  return (
    isObject(value) &&
    typeof value.id === 'string' &&
    typeof value.label === 'string' &&
    (value.kind === 'us' || value.kind === 'eu'
      ? value.url === undefined
      : (value.kind === 'self-hosted' || value.kind === 'agent-server') && typeof value.url === 'string') &&
    (value.workspace === undefined ||
      (isObject(value.workspace) &&
        typeof value.workspace.id === 'string' &&
        typeof value.workspace.name === 'string'))
  );
}

/** Reads stored credentials; empty if there are none, or their format is unknown. */
export function parseCredentials(kept: string | undefined): StoredCredentials {
  if (kept === undefined) return {};
  try {
    const value: unknown = JSON.parse(kept);
    if (!isObject(value)) return {};
    const { apiKey, headers } = value;
    return {
      ...(typeof apiKey === 'string' && apiKey !== '' ? { apiKey } : {}),
      ...(isObject(headers) ? { headers: textsOf(headers) } : {}),
    };
  } catch {
    return {};
  }
}

function textsOf(values: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
