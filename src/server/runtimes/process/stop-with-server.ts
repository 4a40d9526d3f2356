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
 * Wraps a runtime's command so that it does not outlive the server. A runtime exits when its pipe closes, unless user
 * code blocks Node's event loop or holds Python's interpreter lock. On Windows, libuv starts processes in a job that
 * ends with their parent, but their own children are not in a job. On Linux `setpriv` asks the kernel to do the same.
 * Elsewhere, a thread in the Node runtime watches its parent. In Python, an extension module can still hold the
 * interpreter lock.
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
 * Whether setpriv has the option, which older versions and BusyBox's lack. Checked once, because starting a process
 * takes some milliseconds.
 */
function canAskKernel(): Promise<boolean> {
  asked ??= run(SETPRIV, [...WITH_PARENT, '/bin/true'], { timeout: 5_000 }).then(
    () => true,
    () => false,
  );
  return asked;
}
