import { existsSync } from 'node:fs';
import path from 'node:path';

/** The programs that the scripts in this folder start, besides Node and npm. */
const PROGRAMS = ['apt-get', 'git', 'go', 'mvn', 'pip', 'python3', 'unshare', 'unzip'];

/** The facts about a machine that decide whether the tests can run. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly isRoot: boolean;
  readonly searchPath: string;
}

/** Why the Windows build of Node cannot run here, in a sentence; undefined where it can. */
export function whyNot({ platform, arch, isRoot, searchPath }: Machine): string | undefined {
  if (platform === 'win32') return undefined;
  if (platform !== 'linux' || arch !== 'x64')
    return 'it needs Windows, or Wine on Linux with an x64 processor.';
  if (!isRoot) return 'it needs root, to make a folder with Debian and Wine in it.';
  const missing = PROGRAMS.filter(
    (name) => !searchPath.split(path.delimiter).some((folder) => existsSync(path.join(folder, name))),
  );
  return missing.length === 0 ? undefined : `it needs ${missing.join(', ')}.`;
}
