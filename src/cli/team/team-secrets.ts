import { hasHandedOverSecrets, restartWithSecrets } from '../../process/secret-handover.ts';
import {
  SERVER_SECRETS,
  SecretVariableError,
  STORE_SECRETS,
  type TakenSecrets,
  takeSecrets,
} from '../../process/secret-variables.ts';
import { usage } from '../terminal/failure.ts';

/** The variable with the URL of a team's database, a name that many programs use. */
const DATABASE_URL = 'DATABASE_URL';
const SERVER_DATABASE = 'AGENT_HARBOR_DATABASE';

/** The secrets of a command that starts a server of a team, and the environment that is left without them. */
export interface TeamSecrets extends TakenSecrets {
  /** The URL of the database; undefined when none was given. */
  readonly database: string | undefined;
}

/**
 * @param given the database from the command line. Without one, `DATABASE_URL` belongs to the server, and its graphs do
 * not get it.
 * @param hasStore whether the credentials of an object store are the server's.
 * @throws Failure for a secret that cannot be read.
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
 * Starts the command `team` again in the same process, without its secrets: it is the parent of the graphs, which could read
 * its arguments and the environment that it was started with.
 * @param args of the command line.
 * @throws Failure for a secret that cannot be read.
 */
export function leaveTeamSecrets(args: readonly string[]): void {
  // Already started again.
  if (hasHandedOverSecrets(process.env)) return;
  const has = (option: string) => args.some((arg) => arg === option || arg.startsWith(`${option}=`));
  const hasStore = has('--objects') || (!has('--config') && Boolean(process.env.AGENT_HARBOR_OBJECTS));
  const { given, rest } = takeDatabase(args);
  const { secrets, environment } = takeTeamSecrets(process.env, { given, hasStore });
  const isBare =
    given !== undefined ||
    Object.keys(secrets).some((name) => process.env[name]) ||
    process.env[DATABASE_URL] !== environment[DATABASE_URL];
  if (isBare) restartWithSecrets(secrets, environment, rest);
}

/** The value of `--database`, and the other arguments. */
function takeDatabase(args: readonly string[]): { given: string | undefined; rest: readonly string[] } {
  const at = args.findIndex((arg) => arg === '--database' || arg.startsWith('--database='));
  const [arg = '', next] = args.slice(at);
  if (at < 0 || (arg === '--database' && next === undefined)) return { given: undefined, rest: args };
  const isTwo = arg === '--database';
  return {
    given: isTwo ? next : arg.slice('--database='.length),
    rest: args.toSpliced(at, isTwo ? 2 : 1),
  };
}

function take(names: readonly string[], environment: NodeJS.ProcessEnv): TakenSecrets {
  try {
    return takeSecrets(names, environment);
  } catch (error) {
    throw error instanceof SecretVariableError ? usage(error.message) : error;
  }
}
