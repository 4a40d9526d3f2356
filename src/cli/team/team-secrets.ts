import { hasHandedOverSecrets, restartWithSecrets } from '../../process/secret-handover.ts';
import {
  SERVER_SECRETS,
  SecretVariableError,
  STORE_SECRETS,
  type TakenSecrets,
  takeSecrets,
} from '../../process/secret-variables.ts';
import { usage } from '../terminal/failure.ts';

/** A variable that many programs use, for the URL of their own database. */
const DATABASE_URL = 'DATABASE_URL';
const SERVER_DATABASE = 'AGENT_HARBOR_DATABASE';

/** The secrets of a team's server, and the environment without them. */
export interface TeamSecrets extends TakenSecrets {
  /** The URL of the database; undefined when none was given. */
  readonly database: string | undefined;
}

/**
 * Separates the secrets of a team's server from the environment that its graphs get.
 * @param given the database from the command line. If no other variable names a database either, `DATABASE_URL` is the
 * server's, and its graphs do not get it.
 * @param hasStore whether the server uses an object store; the credentials for object stores are then the server's
 * @throws Failure for a secret that cannot be read
 */
export function takeTeamSecrets(
  environment: NodeJS.ProcessEnv,
  { given, hasStore }: { given: string | undefined; hasStore: boolean },
): TeamSecrets {
  const own = [...SERVER_SECRETS, ...(hasStore ? STORE_SECRETS : [])];
  const hasOwnDatabase = Boolean(
    given ?? (environment[SERVER_DATABASE] || environment[`${SERVER_DATABASE}_FILE`]),
  );
  const taken = take(hasOwnDatabase ? own : [...own, DATABASE_URL], environment);
  const { [DATABASE_URL]: url, ...secrets } = taken.secrets;
  const database = given ?? secrets[SERVER_DATABASE] ?? url;
  return {
    database,
    secrets: database === undefined ? secrets : { ...secrets, [SERVER_DATABASE]: database },
    environment: taken.environment,
  };
}

/**
 * Restarts the command `team` in the same process without secrets in its arguments and environment, because the graphs,
 * which are its child processes, could read those. Does nothing if there are no secrets in them.
 * @param args the arguments of the command line
 * @throws Failure for a secret that cannot be read
 */
export function hideTeamSecrets(args: readonly string[]): void {
  // If secrets were handed over, the command has already been restarted.
  if (hasHandedOverSecrets(process.env)) return;
  const has = (option: string) => args.some((arg) => arg === option || arg.startsWith(`${option}=`));
  const hasStore = has('--objects') || (!has('--config') && Boolean(process.env.AGENT_HARBOR_OBJECTS));
  const { given, rest } = takeDatabase(args);
  const { secrets, environment } = takeTeamSecrets(process.env, { given, hasStore });
  const hasExposedSecrets =
    given !== undefined ||
    Object.keys(secrets).some((name) => process.env[name]) ||
    process.env[DATABASE_URL] !== environment[DATABASE_URL];
  if (hasExposedSecrets) restartWithSecrets(secrets, environment, rest);
}

/** The last value of `--database`, which is the one that counts, and the arguments without any of its values. */
function takeDatabase(args: readonly string[]): { given: string | undefined; rest: readonly string[] } {
  const option = '--database';
  const rest: string[] = [];
  let given: string | undefined;
  for (let at = 0; at < args.length; at++) {
    const [arg = '', next] = args.slice(at);
    if (arg.startsWith(`${option}=`)) {
      given = arg.slice(`${option}=`.length);
    } else if (arg === option && next !== undefined) {
      given = next;
      at++;
    } else {
      rest.push(arg);
    }
  }
  return { given, rest };
}

function take(names: readonly string[], environment: NodeJS.ProcessEnv): TakenSecrets {
  try {
    return takeSecrets(names, environment);
  } catch (error) {
    throw error instanceof SecretVariableError ? usage(error.message) : error;
  }
}
