/** The environment variables that servers read, for docs/operating.md and for the files in examples. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { SERVER_SECRETS, STORE_SECRETS } from '../src/process/secret-variables.ts';
import { optionVariables } from '../src/process/server-settings.ts';

const src = path.resolve(import.meta.dirname, '../src');

/** Which servers read a variable. */
type Servers = 'all' | 'agent, platform' | 'platform' | 'agent';

interface ServerVariable {
  readonly of: Servers;
  readonly what: string;
}

/** Variables that have no option, in the order in which users set them. */
export const SERVER_VARIABLES: Readonly<Record<string, ServerVariable>> = {
  PORT: { of: 'agent, platform', what: 'port on all addresses (default: 8000)' },
  AGENT_HARBOR_API_KEY: {
    of: 'agent, platform',
    what: 'key that callers send as `x-api-key`, at least 16 characters; on a platform, the key of its administrators',
  },
  AGENT_HARBOR_PREVIOUS_API_KEY: {
    of: 'agent, platform',
    what: '[previous key](team-server.md#change-the-teams-key), which stays valid until servers start without this variable',
  },
  AGENT_HARBOR_DATABASE: {
    of: 'agent, platform',
    what: 'URL of the PostgreSQL database, such as `postgres://user@host/name`',
  },
  AGENT_HARBOR_DATABASE_REPLICA: {
    of: 'platform',
    what: 'URL of a standby that [answers queries about traces](team-traces.md#a-replica-for-reading-traces) (default: none)',
  },
  AGENT_HARBOR_ROLES: {
    of: 'agent, platform',
    what: '[roles of the server](team-server.md#roles): `api`, `runs`, `builds`, `traces`, separated by commas (default: all)',
  },
  AGENT_HARBOR_NAME: {
    of: 'agent',
    what: 'name of the agent in the database (default: the folder of `langgraph.json`)',
  },
  AGENT_HARBOR_ALLOW_ANYONE: {
    of: 'agent',
    what: '`true` accepts requests without a key; use it only for a port that nothing but your own proxy can reach',
  },
  AGENT_HARBOR_URL: {
    of: 'platform',
    what: 'URL of the load balancer, for clients (default: this machine)',
  },
  AGENT_HARBOR_AGENTS_URL: {
    of: 'platform',
    what: 'URL of each deployment, for clients, with `*` for its ID (default: a path below `AGENT_HARBOR_URL`)',
  },
  AGENT_HARBOR_OBJECTS: {
    of: 'platform',
    what: 'object store: `s3://bucket/prefix`, or a folder that all servers share',
  },
  AGENT_HARBOR_SECRETS_KEY: {
    of: 'platform',
    what: 'key that encrypts secrets in the database: 32 bytes in hexadecimal',
  },
  AGENT_HARBOR_NEW_SECRETS_KEY: {
    of: 'platform',
    what: 'new secrets key, [while it is being changed](team-server.md#change-the-secrets-key): for the servers and for `--rotate-secrets-key team`',
  },
  AWS_ACCESS_KEY_ID: { of: 'platform', what: 'access key of the bucket' },
  AWS_SECRET_ACCESS_KEY: { of: 'platform', what: 'secret of that access key' },
  AWS_SESSION_TOKEN: { of: 'platform', what: 'token of a temporary access key' },
  AWS_REGION: {
    of: 'platform',
    what: 'region of the bucket; `AWS_DEFAULT_REGION` works too (default: us-east-1)',
  },
  AWS_ENDPOINT_URL: {
    of: 'platform',
    what: "address of an S3-compatible store that is not Amazon's; `AWS_ENDPOINT_URL_S3` overrides it",
  },
  AGENT_HARBOR_ISOLATION: {
    of: 'all',
    what: '`container` runs graphs and builds of deployments in [separate containers](isolation.md) (default: `process`). Servers of an agent refuse it',
  },
  AGENT_HARBOR_ISOLATION_NETWORK: { of: 'all', what: 'network of these containers (default: none)' },
  AGENT_HARBOR_BUILD_NETWORK: {
    of: 'all',
    what: "network of builds in containers (default: the container tool's default network)",
  },
  AGENT_HARBOR_BUILD_DISK_MB: {
    of: 'all',
    what: 'disk space that such a build may use, in MB (default: 20480)',
  },
  AGENT_HARBOR_CONTAINER_TOOL: {
    of: 'all',
    what: '`docker`, `podman`, or a path (default: the first that works)',
  },
  AGENT_HARBOR_CONTAINER_OPTIONS: {
    of: 'all',
    what: 'options of the container tool, placed before each of its commands',
  },
  AGENT_HARBOR_CONTAINER_RUN_OPTIONS: {
    of: 'all',
    what: 'options of each `run` and `build` command of the container tool',
  },
  AGENT_HARBOR_CONTAINER_START_SECONDS: {
    of: 'all',
    what: 'how long a deployment from an image may take to start answering (default: 120)',
  },
  AGENT_HARBOR_TRACING: {
    of: 'all',
    what: 'where graphs send traces: `local` to this server (default), `cloud` to where their own `LANGSMITH_…` variables point (default in images of agents), `off` nowhere',
  },
  AGENT_HARBOR_LOAD_SECONDS: {
    of: 'all',
    what: 'how long loading graphs may be idle before loading fails (default: 60 for deployments, no limit for open folders)',
  },
  AGENT_HARBOR_PYTHON: { of: 'all', what: "interpreter for Python graphs (default: the project's own)" },
  AGENT_HARBOR_USER: {
    of: 'all',
    what: 'numeric ID of the user that a server started as root switches to; set in the images',
  },
  AGENT_HARBOR_GRAPH_USER: {
    of: 'agent',
    what: 'numeric ID of [the user that then runs the graphs](team-server.md#in-containers); set in the image',
  },
  GITHUB_API_URL: { of: 'all', what: "URL of GitHub's API, for [integrations](control-plane.md#sources)" },
};

/** Variables ending in `_FILE`, each of which names a file that contains the secret. */
export const FILE_VARIABLES: readonly string[] = [...SERVER_SECRETS, ...STORE_SECRETS].map(
  (name) => `${name}_FILE`,
);

/** All variables that servers read. */
export const KNOWN_VARIABLES: ReadonlySet<string> = new Set([
  ...Object.keys(SERVER_VARIABLES),
  ...optionVariables,
  ...FILE_VARIABLES,
  'AWS_DEFAULT_REGION',
  'AWS_ENDPOINT_URL_S3',
]);

/** Variables that our own processes pass to each other. */
const BETWEEN_PROCESSES = [
  'CRASH_AT',
  'DEBUGPY',
  'GIT_TOKEN',
  'MALLOC',
  'RELAY',
  'RUNTIME_FD',
  'SECRETS',
  'WATCH_PARENT',
].map((name) => `AGENT_HARBOR_${name}`);

/** The differences between the list and the code, as sentences; empty if they agree. */
export function differences(): string[] {
  const files = globSync('{containers,process,project,runtime,server}/**/*.{ts,py}', { cwd: src });
  const text = files.map((file) => readFileSync(path.join(src, file), 'utf8')).join('\n');
  const named = new Set(text.match(/(?<![A-Z_])AGENT_HARBOR_[A-Z_]*[A-Z]/g));
  const known = new Set([...KNOWN_VARIABLES, ...BETWEEN_PROCESSES]);
  const read = Object.keys(SERVER_VARIABLES).filter((name) => !new RegExp(`\\b${name}\\b`).test(text));
  return [
    ...[...named].filter((name) => !known.has(name)).map((name) => `${name} is read, but not listed`),
    ...read.map((name) => `${name} is listed, but not read`),
  ];
}
