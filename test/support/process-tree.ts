import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** An environment variable that marks everything a test has started, however it was detached since. */
export interface Marker {
  readonly name: string;
  readonly value: string;
}

const LIST_ON_WINDOWS = [
  '-NoProfile',
  '-NonInteractive',
  '-Command',
  "Get-CimInstance Win32_Process | ForEach-Object { '{0} {1}' -f $_.ProcessId, $_.ParentProcessId }",
];

/** How long the system may take to end a process that was killed. */
const killMs = 5000;

interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
}

/**
 * The running processes among `roots` and their descendants, and on Linux those with the marker: a detached process
 * whose parent has ended is no longer a descendant.
 */
export function processTree(roots: readonly number[], marker?: Marker): number[] {
  const rows = listProcesses();
  const found = new Set(roots);
  for (const pid of found) {
    for (const row of rows) if (row.parent === pid) found.add(row.pid);
  }
  if (marker) {
    for (const { pid } of rows) if (pid !== process.pid && carries(pid, marker)) found.add(pid);
  }
  return [...found].filter(isAlive);
}

/**
 * Stops processes and everything that they started: asks first, and kills the rest after `graceMs`. Returns
 * when all of them have ended.
 */
export async function endProcessTree(
  roots: readonly number[],
  marker?: Marker,
  graceMs = 3000,
): Promise<void> {
  let left = processTree(roots, marker);
  if (process.platform === 'win32') {
    killTreeNow(roots, marker);
  } else {
    for (const pid of left) signal(pid, 'SIGTERM');
  }
  left = await stillAlive(left, graceMs);
  // Processes that ignored the request, and those that were started since.
  left = [...new Set([...left, ...processTree(roots, marker)])];
  for (const pid of left) signal(pid, 'SIGKILL');
  await stillAlive(left, killMs);
}

/** The processes that are still running after a while; returns early if there are none. */
async function stillAlive(pids: readonly number[], withinMs: number): Promise<number[]> {
  const deadline = Date.now() + withinMs;
  let left = pids.filter(isAlive);
  while (left.length > 0 && Date.now() < deadline) {
    await delay(20);
    left = left.filter(isAlive);
  }
  return left;
}

/** Kills the same processes without asking or waiting, for the `exit` event, where nothing can be awaited. */
export function killTreeNow(roots: readonly number[], marker?: Marker): void {
  if (process.platform === 'win32') {
    for (const root of roots) {
      try {
        execFileSync('taskkill', ['/PID', String(root), '/T', '/F'], { stdio: 'ignore' });
      } catch {
        // The process has already ended.
      }
    }
    return;
  }
  for (const pid of processTree(roots, marker)) signal(pid, 'SIGKILL');
}

/**
 * Whether a process runs; a zombie, which waits for its parent to notice its end, does not. A process looks ended as
 * soon as its first thread has ended, but keeps its files and locks until the last thread is done.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return process.platform !== 'linux' || statFields(pid)?.[0] !== 'Z' || threadCount(pid) > 1;
}

function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already ended.
  }
}

function listProcesses(): ProcessRow[] {
  if (process.platform === 'linux') {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => ({ pid: Number(name), parent: Number(statFields(Number(name))?.[1] ?? 0) }));
  }
  return processList()
    .trim()
    .split(/\r?\n/)
    .map((line) => {
      const [pid, parent] = line.trim().split(/\s+/).map(Number);
      return { pid: pid ?? 0, parent: parent ?? 0 };
    });
}

/** Lines with the IDs of a process and its parent. Wine has no PowerShell. */
function processList(): string {
  if (process.platform !== 'win32')
    return execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  try {
    return execFileSync('powershell', LIST_ON_WINDOWS, { encoding: 'utf8', windowsHide: true });
  } catch {
    return '';
  }
}

/** State, parent, … of a process: the fields after its name, which may itself hold spaces and brackets. */
function statFields(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/**
 * The number of a process's threads that have not ended. The main thread counts even if it has ended, because Linux
 * lists it until the whole process ends.
 */
function threadCount(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).length;
  } catch {
    return 0;
  }
}

function carries(pid: number, { name, value }: Marker): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${name}=${value}`);
  } catch {
    return false;
  }
}
