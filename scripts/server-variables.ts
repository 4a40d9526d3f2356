/** The variables of the environment that servers read, for docs/operating.md and for the files in examples. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { SERVER_SECRETS, STORE_SECRETS } from '../src/process/secret-variables.ts';
import { OPTION_VARIABLES } from '../src/process/server-numbers.ts';

const src = path.resolve(import.meta.dirname, '../src');

/** Which servers read a variable. */
type Servers = 'all' | 'of a team' | 'of a platform' | 'of an agent';

interface ServerVariable {
  readonly of: Servers;
  readonly what: string;
}

/** Those that are no option, in the order in which somebody sets them. */
export const SERVER_VARIABLES: Readonly<Record<string, ServerVariable>> = {
  PORT: { of: 'of a team', what: 'where it listens, on all addresses (default: 8000)' },
  AGENT_HARBOR_API_KEY: {
    of: 'of a team',
    what: 'the key that callers send as `x-api-key`, of 16 characters or more; of a platform, that of its administrators',
  },
  AGENT_HARBOR_PREVIOUS_API_KEY: {
    of: 'of a team',
    what: '[the key of before](team-server.md#change-the-teams-key), which is as good until servers start without it',
  },
  AGENT_HARBOR_DATABASE: { of: 'of a team', what: 'the URL of its PostgreSQL, as postgres://user@host/name' },
  AGENT_HARBOR_DATABASE_REPLICA: {
    of: 'of a platform',
    what: 'the URL of a standby of it, which is [asked about traces](team-server.md#a-replica-for-reading-traces) (default: none)',
  },
  AGENT_HARBOR_ROLES: {
    of: 'of a team',
    what: '[what it does](team-server.md#a-platform-to-deploy-to): `api`, `runs`, `builds`, `traces`, with commas between (default: all)',
  },
  AGENT_HARBOR_NAME: {
    of: 'of an agent',
    what: 'what the agent is called in the database (default: the folder of langgraph.json)',
  },
  AGENT_HARBOR_ALLOW_ANYONE: {
    of: 'of an agent',
    what: '`true` asks for no key; only for a port that nothing but your own proxy can reach',
  },
  AGENT_HARBOR_URL: {
    of: 'of a platform',
    what: 'where clients reach the load balancer (default: this machine)',
  },
  AGENT_HARBOR_AGENTS_URL: {
    of: 'of a platform',
    what: 'where clients reach each deployment, with `*` for its ID (default: a path of the URL)',
  },
  AGENT_HARBOR_OBJECTS: {
    of: 'of a platform',
    what: '`s3://bucket/prefix`, or a folder that all servers have',
  },
  AGENT_HARBOR_SECRETS_KEY: {
    of: 'of a platform',
    what: 'what secrets in the database are encrypted with: 32 bytes in hexadecimal',
  },
  AGENT_HARBOR_NEW_SECRETS_KEY: {
    of: 'of a platform',
    what: '[what they are to be encrypted with](team-server.md#change-the-secrets-key): of `--rotate-secrets-key team`, and of servers meanwhile',
  },
  AWS_ACCESS_KEY_ID: { of: 'of a platform', what: 'the key of the bucket' },
  AWS_SECRET_ACCESS_KEY: { of: 'of a platform', what: 'the secret of that key' },
  AWS_SESSION_TOKEN: { of: 'of a platform', what: 'the token of a temporary key' },
  AWS_REGION: {
    of: 'of a platform',
    what: 'the region of the bucket, or `AWS_DEFAULT_REGION` (default: us-east-1)',
  },
  AWS_ENDPOINT_URL: {
    of: 'of a platform',
    what: "the address of a store other than Amazon's, or `AWS_ENDPOINT_URL_S3`, which comes first",
  },
  AGENT_HARBOR_ISOLATION: {
    of: 'all',
    what: '`container` runs what is built from sources in [containers of its own](containers.md#graphs-in-containers-of-their-own) (default: `process`); refused by servers of an agent',
  },
  AGENT_HARBOR_ISOLATION_NETWORK: { of: 'all', what: 'the network of those containers (default: none)' },
  AGENT_HARBOR_BUILD_NETWORK: {
    of: 'all',
    what: "the network of builds in them (default: the container tool's)",
  },
  AGENT_HARBOR_BUILD_DISK_MB: { of: 'all', what: 'what such a build may take of the disk (default: 20480)' },
  AGENT_HARBOR_CONTAINER_TOOL: {
    of: 'all',
    what: '`docker`, `podman`, or a path (default: the first that works)',
  },
  AGENT_HARBOR_CONTAINER_OPTIONS: { of: 'all', what: 'options before every command of the tool' },
  AGENT_HARBOR_CONTAINER_RUN_OPTIONS: { of: 'all', what: 'options of every `run` and `build` of the tool' },
  AGENT_HARBOR_CONTAINER_START_SECONDS: {
    of: 'all',
    what: 'how long a deployment from an image may take until it answers (default: 120)',
  },
  AGENT_HARBOR_TRACING: {
    of: 'all',
    what: 'where graphs send traces: `local` to this server (default), `cloud` as their own `LANGSMITH_…` say, `off` nowhere. The image of an agent says `cloud`',
  },
  AGENT_HARBOR_LOAD_SECONDS: {
    of: 'all',
    what: 'how long graphs that are loaded may do nothing (default: 60)',
  },
  AGENT_HARBOR_PYTHON: { of: 'all', what: 'the interpreter of Python graphs (default: that of the project)' },
  AGENT_HARBOR_USER: {
    of: 'all',
    what: 'the user that a server which is started as root becomes, in numbers; set in the images',
  },
  AGENT_HARBOR_GRAPH_USER: {
    of: 'of an agent',
    what: '[the user that graphs are](team-server.md#in-containers) then, in numbers; set in the image',
  },
  GITHUB_API_URL: { of: 'all', what: "GitHub's API, for [integrations](control-plane.md#sources)" },
};

/** Those that may be files, named by the variable with `_FILE` at its end. */
export const FILE_VARIABLES: readonly string[] = [...SERVER_SECRETS, ...STORE_SECRETS].map(
  (name) => `${name}_FILE`,
);

/** All that say something to a server. */
export const KNOWN_VARIABLES: ReadonlySet<string> = new Set([
  ...Object.keys(SERVER_VARIABLES),
  ...OPTION_VARIABLES,
  ...FILE_VARIABLES,
  'AWS_DEFAULT_REGION',
  'AWS_ENDPOINT_URL_S3',
]);

/** Those that a process of ours tells another one of ours. */
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

/**
 * Where the list and the code differ.
 * @returns sentences; none when they agree.
 */
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
