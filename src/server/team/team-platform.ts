import { ArgumentError } from '../argument-error.ts';
import {
  readDatabase,
  readKey,
  readPort,
  readPreviousKey,
  readSecretsKey,
  VARIABLES,
} from '../environment-values.ts';
import { type Roles, readRoles } from '../roles.ts';
import { DeploymentAddresses } from './deployment-addresses.ts';

/**
 * The platform of a team: its servers share a database and an object store, and each of them answers requests to all
 * deployments.
 */
export interface TeamPlatform {
  readonly database: string;
  /** The URL of the database's standby, which answers queries about traces. */
  readonly replica: string | undefined;
  /** `s3://bucket/prefix`, or the absolute path of a folder that all servers share. */
  readonly objects: string;
  /** The environment variables with the address and credentials of the object store. */
  readonly storeEnvironment: NodeJS.ProcessEnv;
  readonly port: number;
  /** The API key of the team's administrators. */
  readonly apiKey: string;
  /** The administrators' previous key, which stays valid until the change of keys is complete. */
  readonly previousApiKey: string | undefined;
  /** The key that encrypts secrets in the database. */
  readonly secretsKey: Buffer;
  /** The key that replaces `secretsKey` in a rotation. Both are valid until the rotation is complete. */
  readonly newSecretsKey: Buffer | undefined;
  /** The address of the platform at any of the servers, without a trailing slash. */
  readonly url: string;
  readonly addresses: DeploymentAddresses;
  readonly roles: Roles;
}

/**
 * Reads the configuration of a server in a team's platform from the environment.
 * @throws ArgumentError for a missing or invalid variable.
 */
export function readTeamPlatform(environment: NodeJS.ProcessEnv): TeamPlatform {
  const database = readDatabase(environment[VARIABLES.database]);
  if (database === undefined)
    throw new ArgumentError(`Set ${VARIABLES.database} to the URL of a PostgreSQL database.`);
  const apiKey = readKey(environment[VARIABLES.key]);
  if (apiKey === undefined)
    throw new ArgumentError(
      `Set ${VARIABLES.key} to a key of your own, which clients send in the x-api-key header.`,
    );
  const objects = environment[VARIABLES.objects] ?? '';
  if (objects === '')
    throw new ArgumentError(
      `Set ${VARIABLES.objects} to s3://bucket/prefix or a folder that all servers have.`,
    );
  const port = readPort(environment.PORT);
  const givenUrl = readUrl(environment[VARIABLES.url]);
  const roles = readRoles(environment[VARIABLES.roles]);
  if (!roles.has('traces') && givenUrl === undefined)
    throw new ArgumentError(
      `Set ${VARIABLES.url} to where clients reach the team: a server without the role traces sends the traces of its graphs there.`,
    );
  const url = givenUrl ?? `http://127.0.0.1:${port}`;
  return {
    database,
    replica: readDatabase(environment[VARIABLES.replica], VARIABLES.replica),
    objects,
    storeEnvironment: environment,
    port,
    apiKey,
    previousApiKey: readPreviousKey(environment[VARIABLES.previousKey], apiKey),
    ...readSecretsKeys(environment),
    url,
    addresses: new DeploymentAddresses(url, readHostsUrl(environment[VARIABLES.agentsUrl])),
    roles,
  };
}

/** Reads the key for secrets, and during a rotation the new one. @throws ArgumentError */
function readSecretsKeys({
  [VARIABLES.secretsKey]: key,
  [VARIABLES.newSecretsKey]: newKey = '',
}: NodeJS.ProcessEnv): Pick<TeamPlatform, 'secretsKey' | 'newSecretsKey'> {
  const secretsKey = readSecretsKey(key);
  if (newKey === '') return { secretsKey, newSecretsKey: undefined };
  const newSecretsKey = readSecretsKey(newKey, VARIABLES.newSecretsKey);
  if (secretsKey.equals(newSecretsKey))
    throw new ArgumentError(`${VARIABLES.newSecretsKey} is the current key. Remove it.`);
  return { secretsKey, newSecretsKey };
}

/** Reads the address of the platform. @returns the address without a trailing slash. @throws ArgumentError */
function readUrl(text = ''): string | undefined {
  if (text === '') return undefined;
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '')
    return url.href.replace(/\/+$/, '');
  throw new ArgumentError(`${VARIABLES.url} must be an http:// or https:// address, not '${text}'.`);
}

/** Reads the pattern of the deployments' addresses, with `*` for the ID. @throws ArgumentError */
function readHostsUrl(text = ''): string | undefined {
  if (text === '') return undefined;
  const url = URL.parse(text);
  const hasWildcard =
    url !== null && /^https?:$/.test(url.protocol) && /^\*(?:\.[\w-]+)+$/.test(url.hostname);
  if (hasWildcard && url.pathname === '/' && url.search === '' && url.hash === '') return url.origin;
  throw new ArgumentError(
    `${VARIABLES.agentsUrl} must be an address with * for the ID of a deployment, as https://*.agents.example.com, not '${text}'.`,
  );
}
