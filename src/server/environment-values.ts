import { ArgumentError } from './argument-error.ts';

/** The variables that configure servers of images and of teams. */
export const VARIABLES = {
  key: 'AGENT_HARBOR_API_KEY',
  previousKey: 'AGENT_HARBOR_PREVIOUS_API_KEY',
  anyone: 'AGENT_HARBOR_ALLOW_ANYONE',
  isolation: 'AGENT_HARBOR_ISOLATION',
  database: 'AGENT_HARBOR_DATABASE',
  replica: 'AGENT_HARBOR_DATABASE_REPLICA',
  name: 'AGENT_HARBOR_NAME',
  roles: 'AGENT_HARBOR_ROLES',
  objects: 'AGENT_HARBOR_OBJECTS',
  secretsKey: 'AGENT_HARBOR_SECRETS_KEY',
  newSecretsKey: 'AGENT_HARBOR_NEW_SECRETS_KEY',
  url: 'AGENT_HARBOR_URL',
  agentsUrl: 'AGENT_HARBOR_AGENTS_URL',
} as const;

const SECRETS_KEY_BYTES = 32;
const DEFAULT_PORT = 8000;
/** The minimum length of a key; shorter ones can be guessed. */
const MIN_KEY_CHARS = 16;

/** Reads the owner's key. @returns undefined for an empty text. @throws ArgumentError for a key that is too short. */
export function readKey(key = ''): string | undefined {
  if (key !== '' && key.length < MIN_KEY_CHARS)
    throw new ArgumentError(`${VARIABLES.key} must have at least ${MIN_KEY_CHARS} characters.`);
  return key === '' ? undefined : key;
}

/**
 * Reads the owner's previous key, which stays valid during a change.
 * @returns undefined for an empty text.
 * @throws ArgumentError if it equals the current key, or there is no current key.
 */
export function readPreviousKey(previous = '', key: string): string | undefined {
  if (previous === '') return undefined;
  if (key === '' || previous === key)
    throw new ArgumentError(
      `${VARIABLES.previousKey} is the previous value of ${VARIABLES.key}. Set ${VARIABLES.key} to another one, or remove the variable.`,
    );
  return previous;
}

/**
 * Reads the URL of a database.
 * @param variable the variable that contains it, for the error.
 * @returns undefined for an empty text.
 * @throws ArgumentError for anything but a PostgreSQL URL.
 */
export function readDatabase(database = '', variable: string = VARIABLES.database): string | undefined {
  // The value may contain a password, so it is not repeated.
  if (database !== '' && !/^postgres(ql)?:\/\//.test(database))
    throw new ArgumentError(
      `${variable} must be the URL of a PostgreSQL database, such as postgres://user@host/name.`,
    );
  return database === '' ? undefined : database;
}

/** Reads the port of a server in a container; 8000 by default. @throws ArgumentError */
export function readPort(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_PORT;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new ArgumentError(`PORT must be a number from 1 to 65535, not '${text}'.`);
}

/** Reads a secrets key in hexadecimal. @throws ArgumentError for anything but 32 bytes. */
export function readSecretsKey(text = '', variable: string = VARIABLES.secretsKey): Buffer {
  const key = Buffer.from(text, 'hex');
  if (key.length === SECRETS_KEY_BYTES && text.length === 2 * SECRETS_KEY_BYTES) return key;
  throw new ArgumentError(
    `Set ${variable} to ${SECRETS_KEY_BYTES} bytes in hexadecimal, as openssl rand -hex ${SECRETS_KEY_BYTES} makes them: the same for all servers.`,
  );
}
