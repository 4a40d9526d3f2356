import path from 'node:path';
import { pickVariables } from '../process/pick-variables.ts';
import { optionVariables } from '../process/server-settings.ts';
import { ArgumentError } from './argument-error.ts';
import { readDatabase, readKey, readPort, readPreviousKey, VARIABLES } from './environment-values.ts';
import { type Roles, readAgentRoles } from './roles.ts';

/** The agent that the server in an image serves, on all addresses. */
export interface ImageAgent {
  /** Absolute path of its langgraph.json. */
  readonly configPath: string;
  /** Identifies the agent's threads and runs in a team's database, wherever it is served. */
  readonly name: string;
  readonly port: number;
  /** The key that callers must send; undefined when none is required. */
  readonly apiKey: string | undefined;
  /** The previous key, which stays valid until the change of keys is complete. */
  readonly previousApiKey: string | undefined;
  /** The URL of the PostgreSQL database for the agent's state; undefined means the data folder. */
  readonly database: string | undefined;
  /** The roles of the server in its team. */
  readonly roles: Roles;
  /** The environment variables for the graphs. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Reads from the container's environment how to serve the agent. The graphs get the remaining variables.
 * @throws ArgumentError for an invalid port, key, database or role, and for an environment that does not say
 * who may call the agent, or that requests isolation.
 */
export function readImageAgent(configPath: string, environment: NodeJS.ProcessEnv): ImageAgent {
  const {
    PORT,
    [VARIABLES.key]: key = '',
    [VARIABLES.previousKey]: previousKey,
    [VARIABLES.anyone]: anyone,
    [VARIABLES.database]: database,
    [VARIABLES.replica]: _,
    [VARIABLES.name]: name = '',
    [VARIABLES.roles]: roles,
    ...rest
  } = environment;
  if (anyone !== 'true' && key === '') {
    throw new ArgumentError(
      `Set ${VARIABLES.key} to a key of your own, which callers send in the x-api-key header, or ${VARIABLES.anyone}=true where only a proxy of yours can reach this port.`,
    );
  }
  // The option is refused, because it would silently have no effect: the agent would run as a process.
  if (rest[VARIABLES.isolation] === 'container') {
    throw new ArgumentError(
      `${VARIABLES.isolation}=container is for deployments that a server builds, and this agent would run as a process. Make an image with agent-harbor build and run that, or remove the variable.`,
    );
  }
  if (roles && !database) {
    throw new ArgumentError(
      `${VARIABLES.roles} is for servers that share a database. Set ${VARIABLES.database} too, or remove the variable.`,
    );
  }
  return {
    configPath: path.resolve(configPath),
    name: name === '' ? path.basename(path.dirname(path.resolve(configPath))) : name,
    port: readPort(PORT),
    apiKey: readKey(key),
    previousApiKey: readPreviousKey(previousKey, key),
    database: readDatabase(database),
    roles: readAgentRoles(roles),
    environment: pickVariables(rest, (variable) => !optionVariables.includes(variable)),
  };
}
