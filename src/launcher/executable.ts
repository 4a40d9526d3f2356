import { isBuiltin } from 'node:module';
import * as zlib from 'node:zlib';
import { MIN_NODE } from '../process/min-node.ts';
import { isOlder } from './is-older.ts';
import { LaunchError } from './launch-error.ts';

/** The program that runs the server. */
export interface Executable {
  readonly command: string;
  /** Variables that it needs in addition to the environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The program this code runs in: Node, or VS Code's own executable as Node. */
export function thisExecutable(): Executable {
  return {
    command: process.execPath,
    environment: process.versions.electron === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' },
  };
}

/** The features that the server requires and this Node lacks. */
export function missingParts(version = process.versions.node): string[] {
  const missing: string[] = [];
  if (!isBuiltin('node:sqlite')) missing.push('node:sqlite');
  // Checked by version, because loading SQLite would slow down every start.
  else if (isOlder(version, MIN_NODE)) missing.push('full-text search in node:sqlite');
  if (!('createZstdCompress' in zlib)) missing.push('zstd in node:zlib');
  return missing;
}

/** @throws LaunchError when this Node cannot run the server, naming what it lacks. */
export function checkExecutable(missing = missingParts(), version = process.versions.node): void {
  if (missing.length === 0) return;
  throw new LaunchError(
    'executable',
    `Agent Harbor's server needs Node ${MIN_NODE} or newer; this is Node ${version}, which lacks ${missing.join(' and ')}. Install a newer Node (npm install --global node@24), or use a terminal in VS Code, where agent-harbor includes its own.`,
  );
}
