import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const windows = process.platform === 'win32';

/** How long processes that a runtime has left behind may take to end. */
const KILL_AFTER_MS = 2_000;
/**
 * Ends a process group when standard input closes. The server holds the input open, so it also closes when
 * the server is killed.
 */
const WHEN_SERVER_IS_GONE = 'read -r _; kill -s KILL -- "-$1"';

/**
 * Ends the processes that a runtime has started when the runtime ends. On Linux and macOS, a runtime leads a process
 * group, and a shell beside it ends the group when the server is killed. Processes that have left the group, such as
 * detached ones, are found as descendants of the runtime while it runs; after a crash of the runtime or the server, they
 * remain.
 */
export class StartedProcesses {
  readonly #leader: number;
  readonly #watcher: ChildProcess | undefined;
  #detached: readonly number[] = [];

  /** @param leader the ID of the runtime's process, which was started `detached` if `ownGroup` is true. */
  constructor(leader: number) {
    this.#leader = leader;
    if (windows) return;
    this.#watcher = spawn('/bin/sh', ['-c', WHEN_SERVER_IS_GONE, 'sh', String(leader)], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    // If the shell cannot be started, processes that a killed server leaves behind keep running.
    this.#watcher.once('error', () => {});
    this.#watcher.stdin?.once('error', () => {});
    this.#watcher.unref();
  }

  /**
   * Remembers the descendants. Called before the runtime is asked to end, because its children have another parent once it
   * has ended.
   */
  async noteDescendants(): Promise<void> {
    if (!windows) this.#detached = await descendantsOf(this.#leader);
  }

  /**
   * On Windows: ends the process and all of its descendants. A failure is ignored: usually, they have already
   * ended.
   */
  async killTree(): Promise<void> {
    await run('taskkill', ['/PID', String(this.#leader), '/T', '/F'], { windowsHide: true }).catch(() => {});
  }

  /** Called when the process has ended. Ends the processes that it has left behind. */
  afterEnd(): void {
    if (windows) return;
    const left = [-this.#leader, ...this.#detached];
    const remain = left.filter((pid) => signal(pid, 'SIGTERM'));
    if (remain.length === 0) {
      this.#watcher?.kill('SIGKILL');
      return;
    }
    // If the server ends before the timer, the shell ends the group.
    setTimeout(() => {
      for (const pid of remain) signal(pid, 'SIGKILL');
      this.#watcher?.kill('SIGKILL');
    }, KILL_AFTER_MS).unref();
  }
}

/** Whether a runtime is started as the leader of a process group. */
export const ownGroup = !windows;

/** Sends a signal to a process, or to a group if the ID is negative. @returns whether it exists. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** Finds the descendants of a process in all groups; none if `ps` is missing. */
async function descendantsOf(pid: number): Promise<number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid='], { timeout: 2_000 }).catch(() => ({
    stdout: '',
  }));
  const childrenOf = new Map<number, number[]>();
  for (const line of stdout.split('\n')) {
    const [child, parent] = line.trim().split(/\s+/).map(Number);
    if (child === undefined || parent === undefined) continue;
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), child]);
  }
  const found: number[] = [];
  for (const next = [pid]; next.length > 0; ) {
    const children = childrenOf.get(next.pop() ?? 0) ?? [];
    found.push(...children);
    next.push(...children);
  }
  return found;
}
