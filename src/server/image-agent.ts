import path from 'node:path';
import { ArgumentError } from './argument-error.ts';

const DEFAULT_PORT = 8000;
/** Shorter ones can be guessed. */
const MIN_KEY_CHARS = 16;
const KEY = 'AGENT_HARBOR_API_KEY';
const ANYONE = 'AGENT_HARBOR_ALLOW_ANYONE';
const ISOLATION = 'AGENT_HARBOR_ISOLATION';
const DATABASE = 'AGENT_HARBOR_DATABASE';
const NAME = 'AGENT_HARBOR_NAME';
const DRAIN = 'AGENT_HARBOR_DRAIN_SECONDS';
/** Less than the half minute that Kubernetes gives a container to end. */
const DEFAULT_DRAIN_SECONDS = 25;
const MAX_DRAIN_SECONDS = 86_400;

/** The agent that the server of an image serves, on all addresses. */
export interface ImageAgent {
  /** Absolute path of its langgraph.json. */
  readonly configPath: string;
  /** What its threads and runs are found by in a database of a team, wherever it is served. */
  readonly name: string;
  readonly port: number;
  /** The key that callers send; undefined when none is asked for. */
  readonly apiKey: string | undefined;
  /** The URL of the PostgreSQL database that has its state; undefined is the data folder. */
  readonly database: string | undefined;
  /** How long a server of a team waits for supersteps and answers before it ends. */
  readonly drainSeconds: number;
  /** The variables that its graphs get. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Reads from the container's environment how its agent is served. Its graphs get the other variables.
 * @throws ArgumentError for a port, a key, a database or a time that cannot be used, and when it does not say who may call, or wants isolation.
 */
export function readImageAgent(configPath: string, environment: NodeJS.ProcessEnv): ImageAgent {
  const {
    PORT,
    [KEY]: key = '',
    [ANYONE]: anyone,
    [DATABASE]: database = '',
    [NAME]: name = '',
    [DRAIN]: drainSeconds = '',
    ...rest
  } = environment;
  if (anyone !== 'true' && key === '') {
    throw new ArgumentError(
      `Set ${KEY} to a key of your own, which callers send in the x-api-key header, or ${ANYONE}=true where only a proxy of yours can reach this port.`,
    );
  }
  // It would not be kept apart, and nobody would know.
  if (rest[ISOLATION] === 'container') {
    throw new ArgumentError(
      `${ISOLATION}=container is for deployments that a server builds, and this agent would run as a process. Make an image with agent-harbor build and run that, or remove the variable.`,
    );
  }
  if (key !== '' && key.length < MIN_KEY_CHARS)
    throw new ArgumentError(`${KEY} must have at least ${MIN_KEY_CHARS} characters.`);
  // It may contain a password, so it is not repeated.
  if (database !== '' && !/^postgres(ql)?:\/\//.test(database))
    throw new ArgumentError(
      `${DATABASE} must be the URL of a PostgreSQL database, as postgres://user@host/name.`,
    );
  const variables = Object.entries(rest).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    configPath: path.resolve(configPath),
    name: name === '' ? path.basename(path.dirname(path.resolve(configPath))) : name,
    port: portOf(PORT),
    apiKey: key === '' ? undefined : key,
    database: database === '' ? undefined : database,
    drainSeconds: secondsOf(drainSeconds),
    environment: Object.fromEntries(variables),
  };
}

function portOf(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_PORT;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new ArgumentError(`PORT must be a number from 1 to 65535, not '${text}'.`);
}

function secondsOf(text: string): number {
  if (text === '') return DEFAULT_DRAIN_SECONDS;
  const seconds = Number(text);
  if (text.trim() !== '' && seconds >= 0 && seconds <= MAX_DRAIN_SECONDS) return seconds;
  throw new ArgumentError(`${DRAIN} must be a number from 0 to ${MAX_DRAIN_SECONDS}, not '${text}'.`);
}
