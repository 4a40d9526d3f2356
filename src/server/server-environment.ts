import { restartWithSecrets, takeHandedOverSecrets } from '../process/secret-handover.ts';
import { SERVER_SECRETS, STORE_SECRETS, takeSecrets } from '../process/secret-variables.ts';
import { asServerUser } from './runtimes/process/graph-user.ts';

/** The options with which the server uses an object store, whose credentials the graphs must not see. */
const WITH_STORE = ['--team', '--move'];

/**
 * Takes the environment with which the server was started, including secrets, and removes the secrets from the process's
 * environment. Because processes of graphs could still read the initial environment from the system, a process that was
 * started with secrets starts itself again without them.
 * @param args the arguments of the command line.
 * @throws SecretVariableError
 */
export function takeServerEnvironment(args: readonly string[]): NodeJS.ProcessEnv {
  const handedOver = takeHandedOverSecrets(process.env);
  if (handedOver !== undefined) return { ...process.env, ...handedOver };
  const names = [...SERVER_SECRETS, ...(args.some((arg) => WITH_STORE.includes(arg)) ? STORE_SECRETS : [])];
  const { secrets, environment } = takeSecrets(names, process.env);
  // With --until-stdin-ends, the server must keep the standard input that its parent process holds open, so
  // it does not start again.
  const user = asServerUser();
  const needsRestart = user.length > 0 || names.some((name) => process.env[name]);
  if (needsRestart && !args.includes('--until-stdin-ends'))
    restartWithSecrets(secrets, environment, args, user);
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  return { ...environment, ...secrets };
}
