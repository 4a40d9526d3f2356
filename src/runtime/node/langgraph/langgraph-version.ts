import { GraphLoadError } from '../errors/runtime-error.ts';
import { findInstalled } from './installed-package.ts';

const LANGGRAPH = '@langchain/langgraph';
/** Older ones serialize in another way. */
const OLDEST = [0, 4] as const;

/**
 * Looks at the LangGraph that a file would import, before anything is imported.
 * @throws GraphLoadError when it is too old; the server adds the command that brings a newer one.
 */
export function checkLangGraphVersion(file: string): void {
  const installed = findInstalled(LANGGRAPH, file);
  if (installed === undefined || !isTooOld(installed.version)) return;
  throw new GraphLoadError(
    `${LANGGRAPH} ${installed.version} in ${installed.folder} is too old. Version ${OLDEST.join('.')} or later is required.`,
  );
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}
