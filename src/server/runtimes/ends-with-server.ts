import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { RuntimeCommand } from './spawn-runtime.ts';

const run = promisify(execFile);

/** Of util-linux: becomes the program it is given, which the kernel ends as soon as whoever started it has gone. */
const SETPRIV = '/usr/bin/setpriv';
const WITH_PARENT = ['--pdeathsig', 'KILL'];
/** Asks the Node runtime to look after itself. */
const WATCH_PARENT = 'AGENT_HARBOR_WATCH_PARENT';

/**
 * How a runtime's command becomes one that does not outlive the server, however the server goes and whatever user code
 * does then. A runtime ends by itself when its pipe closes, unless user code holds up what would see that: an event
 * loop of Node's, or Python's interpreter lock.
 *
 * On Windows libuv starts processes in a job that ends with their parent. On Linux `setpriv` asks the kernel for it.
 * Elsewhere a thread of the Node runtime watches; Python's interpreter lock can still be held by an extension module.
 */
export async function endingWithServer(): Promise<(command: RuntimeCommand) => RuntimeCommand> {
  if (process.platform === 'win32') return (command) => command;
  if (process.platform === 'linux' && (await canAskKernel())) {
    return ({ file, args, ...rest }) => ({ ...rest, file: SETPRIV, args: [...WITH_PARENT, file, ...args] });
  }
  return ({ env, ...rest }) => ({ ...rest, env: { ...env, [WATCH_PARENT]: '1' } });
}

let asked: Promise<boolean> | undefined;

/** Older ones, and BusyBox's, do not know the option. Asked once: starting a process costs every start some milliseconds. */
function canAskKernel(): Promise<boolean> {
  asked ??= run(SETPRIV, [...WITH_PARENT, '/bin/true'], { timeout: 5_000 }).then(
    () => true,
    () => false,
  );
  return asked;
}
