import { isLoopback } from '../contract/loopback.ts';

/** How a caller authenticates. */
export interface Credentials {
  /** Sent as `x-api-key`. */
  readonly apiKey?: string | undefined;
  /** The workspace, sent as `x-tenant-id`; needed when the key is valid for several. */
  readonly tenantId?: string | undefined;
  /** Sent as `authorization: Bearer …`. */
  readonly bearerToken?: string | undefined;
  /** Further headers, such as for a gateway in front of the platform. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * The addresses of a platform's three interfaces (docs/interface/README.md), and the credentials for them.
 */
export interface Connection {
  /** `{base_url}`: tracing, feedback, datasets, purging. At the root, or ending in `/api/v1`. */
  readonly baseUrl: string;
  /** `{control_plane_url}`: deployments, revisions, OAuth providers. */
  readonly controlPlaneUrl: string;
  /** `{deployment_url}`: one agent server. Without it only the platform can be called. */
  readonly deploymentUrl?: string | undefined;
  readonly credentials: Credentials;
}

type CloudRegion = 'us' | 'eu';

/** The hosts of the cloud's data regions (docs/interface/control-plane.md#addresses-and-credentials). */
const CLOUD: Readonly<Record<CloudRegion, { baseUrl: string; controlPlaneUrl: string }>> = {
  us: { baseUrl: 'https://api.smith.langchain.com', controlPlaneUrl: 'https://api.host.langchain.com' },
  eu: { baseUrl: 'https://eu.api.smith.langchain.com', controlPlaneUrl: 'https://eu.api.host.langchain.com' },
};

/** Connects to a local server, where everything but the deployments is at one address. */
export function localConnection(server: {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly deploymentUrl?: string | undefined;
}): Connection {
  return {
    baseUrl: server.baseUrl,
    controlPlaneUrl: server.baseUrl,
    deploymentUrl: server.deploymentUrl,
    // Makes projects with their own `auth` admit the owner of the server as a Studio user.
    credentials: { apiKey: server.apiKey, headers: { 'x-auth-scheme': 'langsmith' } },
  };
}

/** Connects to a region of the cloud. */
export function cloudConnection(region: CloudRegion, credentials: Credentials): Connection {
  return { ...CLOUD[region], credentials };
}

/**
 * Connects to a self-hosted installation: the platform below `/api/v1`, the control plane below `/api-host`.
 * @param host such as `https://agents.example.com`; may end in `/api/v1` or `/api`
 */
export function selfHostedConnection(host: string, credentials: Credentials): Connection {
  const root = withoutTrailingSlash(host).replace(/\/api(\/v1)?$/, '');
  return {
    baseUrl: `${root}/api/v1`,
    controlPlaneUrl: `${root}/api-host`,
    credentials,
  };
}

/**
 * Why a text cannot be the address of a platform; undefined when it can. Unencrypted addresses are allowed only on this
 * machine, because they would expose keys.
 */
export function addressProblem(address: string): 'no-address' | 'unencrypted' | undefined {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'no-address';
  return url.protocol === 'http:' && !isLoopback(url) ? 'unencrypted' : undefined;
}

/** The URL of a path below the address of the control plane or of a deployment. That address may also have a path. */
export function addressBelow(base: string, path: string): URL {
  return new URL(withoutTrailingSlash(base) + path);
}

/**
 * The URL of a path of the platform, whose interface is at the root, or on some hosts only below `/api/v1`. Paths with a
 * prefix of their own keep it (docs/interface/tracing.md#addresses-and-credentials).
 */
export function platformAddress(baseUrl: string, path: string): URL {
  const base = withoutTrailingSlash(baseUrl);
  const root = base.replace(/\/api(\/v1)?$/, '');
  // Agent Harbor has these paths at the root too, other platforms only below `/api`.
  if (path.startsWith('/v2/')) return new URL(`${root}/api${path}`);
  if (root === base || path.startsWith('/api/')) return new URL(root + path);
  return new URL(path.startsWith('/v1/') ? `${root}/api${path}` : `${root}/api/v1${path}`);
}

/**
 * The URL of an endpoint that only Agent Harbor has. These are at the root, even if the address ends in
 * `/api/v1`.
 */
export function harborAddress(baseUrl: string, path: string): URL {
  return platformAddress(baseUrl.replace(/\/api(\/v1)?\/*$/, ''), path);
}

function withoutTrailingSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
