import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { asGraphUser, SETPRIV } from './graph-user.ts';
import type { RuntimeCommand } from './spawn-runtime.ts';

const run = promisify(execFile);

/** The kernel stops the program when its parent exits. */
const WITH_PARENT = ['--pdeathsig', 'KILL'];
/** Asks the Node runtime to watch its parent itself. */
const WATCH_PARENT = 'AGENT_HARBOR_WATCH_PARENT';

/**
 * Wraps a runtime's command so that it does not outlive the server. A runtime exits when its pipe closes, unless
 * user code blocks Node's event loop or holds Python's interpreter lock.
 * On Windows libuv starts processes in a job that ends with their parent; their own children are in none. On Linux
 * `setpriv` asks the kernel to do the same. Elsewhere a thread of the Node runtime watches; Python's interpreter
 * lock can still be held by an extension module.
 */
export async function stopWithServer(): Promise<(command: RuntimeCommand) => RuntimeCommand> {
  if (process.platform === 'win32') return (command) => command;
  if (process.platform === 'linux' && (await canAskKernel())) {
    return ({ file, args, ...rest }) => ({
      ...rest,
      file: SETPRIV,
      args: [...WITH_PARENT, ...asGraphUser().slice(1), file, ...args],
    });
  }
  return ({ env, ...rest }) => ({ ...rest, env: { ...env, [WATCH_PARENT]: '1' } });
}

let asked: Promise<boolean> | undefined;

/**
 * Older versions, and BusyBox's, lack the option. Checked once, because starting a process costs every start some
 * milliseconds.
 */
function canAskKernel(): Promise<boolean> {
  asked ??= run(SETPRIV, [...WITH_PARENT, '/bin/true'], { timeout: 5_000 }).then(
    () => true,
    () => false,
  );
  return asked;
}
