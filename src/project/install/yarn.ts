import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ifPresent } from '../../process/if-present.ts';
import { majorOf } from './major-of.ts';
import type { NodeInstall, NodeManager } from './node-install.ts';

/** The version of Yarn that reads a lockfile without converting it, by the lockfile's `__metadata.version`. */
const LINES: Readonly<Record<string, string>> = { 4: '2', 5: '3', 6: '3', 7: '4.9', 8: '4.9' };

/** Installs with Yarn, classic or later, from its lockfile, which must match package.json. */
export async function yarnInstall({ dir, lockfile, version }: NodeManager): Promise<NodeInstall> {
  const text = (await ifPresent(readFile(path.join(dir, 'yarn.lock'), 'utf8'))) ?? '';
  // Yarn 2 and later write their lockfiles as YAML with this entry.
  const format = /^__metadata:\s+version: (\d+)/m.exec(text)?.[1];
  const modern = version === undefined ? format !== undefined : !/^[01]\./.test(version);
  const line = version ?? (modern ? (LINES[format ?? ''] ?? '4') : '1');
  const frozen = modern ? ['--immutable'] : ['--frozen-lockfile', '--non-interactive', '--no-progress'];
  return {
    args: ['install', ...(lockfile === undefined ? [] : frozen)],
    // Graphs are loaded by Node, which needs node_modules and does not support Plug'n'Play.
    env: modern ? { YARN_NODE_LINKER: 'node-modules', YARN_ENABLE_TELEMETRY: '0' } : {},
    package: modern ? `@yarnpkg/cli-dist@${line}` : `yarn@${line}`,
    accepts: (found) => majorOf(found) === majorOf(line),
  };
}

/** The errors in Yarn's output: messages with a number other than 0. */
export function yarnErrors(lines: readonly string[]): string[] {
  return lines
    .map((line) => /^➤ YN0*[1-9]\d*: (?:│ )?(?![│+ -])(.+)/.exec(line)?.[1])
    .filter((text) => text !== undefined);
}
