import { existsSync } from 'node:fs';
import path from 'node:path';
import { findInstalled } from './installed-package.ts';
import { GraphLoadError } from './runtime-error.ts';

const LANGGRAPH = '@langchain/langgraph';
/** Older ones serialize in another way. */
const OLDEST = [0, 4] as const;

/** How each package manager, recognized by its lockfile, installs what is newest. */
const COMMANDS = {
  'pnpm-lock.yaml': 'pnpm add',
  'yarn.lock': 'yarn add',
  'bun.lock': 'bun add',
  'bun.lockb': 'bun add',
} as const;

/**
 * Looks at the LangGraph that a file would import, before anything is imported.
 * @throws GraphLoadError when it is too old, with the command that brings a newer one.
 */
export function checkLangGraphVersion(file: string, projectDir: string): void {
  const installed = findInstalled(LANGGRAPH, file);
  if (installed === undefined || !isTooOld(installed.version)) return;
  throw new GraphLoadError(
    `${LANGGRAPH} ${installed.version} in ${installed.folder} is too old. Version ${OLDEST.join('.')} or later is required. ` +
      `Run this in ${projectDir}: ${upgradeCommand(projectDir)} ${LANGGRAPH}@latest @langchain/core@latest`,
  );
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}

function upgradeCommand(folder: string): string {
  const found = Object.entries(COMMANDS).find(([lockfile]) => existsSync(path.join(folder, lockfile)));
  return found?.[1] ?? 'npm install';
}
