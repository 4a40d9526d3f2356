import { isTooOld, OLDEST_LANGGRAPH } from '../../../process/langgraph-version.ts';
import { OldLangGraphError } from '../errors/runtime-error.ts';
import { findInstalled } from './installed-package.ts';

const LANGGRAPH = '@langchain/langgraph';

/**
 * Checks the LangGraph that a file would import, before anything is imported.
 * @throws OldLangGraphError when it is too old; the server adds the command that updates it.
 */
export function checkLangGraphVersion(file: string): void {
  const installed = findInstalled(LANGGRAPH, file);
  if (installed === undefined || !isTooOld(installed.version)) return;
  throw new OldLangGraphError(
    `${LANGGRAPH} ${installed.version} in ${installed.folder} is too old. Version ${OLDEST_LANGGRAPH} or later is required.`,
  );
}
