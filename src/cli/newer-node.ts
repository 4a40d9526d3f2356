import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingParts } from '../launcher/executable.ts';

/** The path of the Node that npm installed with this program; undefined if the current Node is new enough. */
export function findNewerNode(): string | undefined {
  if (missingParts().length === 0) return undefined;
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  const dist = dirname(fileURLToPath(import.meta.url));
  const node = join(dist, '..', 'node_modules', 'node', 'bin', program);
  return existsSync(node) ? node : undefined;
}

/**
 * Whether a signal has to be passed on to the child process. Ctrl-C in a terminal reaches both processes, and on Windows
 * all signals do.
 */
export function isPassedOn(signal: NodeJS.Signals, platform: NodeJS.Platform, inTerminal: boolean): boolean {
  return platform !== 'win32' && (signal !== 'SIGINT' || !inTerminal);
}

/** Runs this program on another Node as a child process, and ends with its exit code. */
export function runOn(node: string): void {
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGBREAK'] as const) {
    process.on(signal, () => {
      if (isPassedOn(signal, process.platform, process.stdin.isTTY === true)) child.kill(signal);
    });
  }
  child.once('error', (error) => {
    console.error(`error: ${node} could not be started: ${error.message}`);
    process.exitCode = 1;
  });
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
