import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { asGraphUser, SETPRIV } from './graph-user.ts';
import type { RuntimeCommand } from './spawn-runtime.ts';

const run = promisify(execFile);

/** Options of setpriv with which the kernel kills the program when its parent exits. */
const WITH_PARENT = ['--pdeathsig', 'KILL'];
/** The variable that tells the Node runtime to watch its parent itself. */
const WATCH_PARENT = 'AGENT_HARBOR_WATCH_PARENT';

/**
 * Returns a function that changes a runtime's command so that the runtime does not outlive the server. A runtime exits
 * when its pipe closes, unless the user's code blocks Node's event loop or holds Python's interpreter lock. On Linux,
 * `setpriv` therefore asks the kernel to kill the runtime; elsewhere, a thread in the Node runtime watches the server. On
 * Windows, libuv ends the runtime with the server, but not the runtime's own children.
 */
export async function makeStopWithServer(): Promise<(command: RuntimeCommand) => RuntimeCommand> {
  if (process.platform === 'win32') return (command) => command;
  if (process.platform === 'linux' && (await canAskKernel())) {
    // The prefix of the graphs' user begins with setpriv, too, which is not needed twice.
    return ({ file, args, ...rest }) => ({
      ...rest,
      file: SETPRIV,
      args: [...WITH_PARENT, ...asGraphUser().slice(1), file, ...args],
    });
  }
  return ({ env, ...rest }) => ({ ...rest, env: { ...env, [WATCH_PARENT]: '1' } });
}

let canKernelStop: Promise<boolean> | undefined;

/** Whether setpriv has the option `--pdeathsig`, which old versions and BusyBox lack. Checked once. */
function canAskKernel(): Promise<boolean> {
  canKernelStop ??= run(SETPRIV, [...WITH_PARENT, '/bin/true'], { timeout: 5_000 }).then(
    () => true,
    () => false,
  );
  return canKernelStop;
}
