import type { Project } from '../../runtimes/project/project.ts';

/** The package with the bundler, which the project must have installed, and the bundler's program in it. */
export const BUNDLER_PACKAGE = '@langchain/langgraph-ui';
export const BUNDLER_PROGRAM = 'langgraphjs-ui';

/**
 * Environment variables that tell the bundler what to bundle.
 * @param place the path of an agent's components, as written in langgraph.json.
 */
export function bundlerVariables(
  { config }: Pick<Project, 'config'>,
  agent: string,
  place: string,
): Record<string, string> {
  return {
    LANGGRAPH_UI: JSON.stringify({ [agent]: place }),
    LANGGRAPH_UI_CONFIG: JSON.stringify(config.ui_config ?? {}),
  };
}

/** The error for a missing bundler. @param where the folder or image that lacks it. */
export function missingBundlerSentence(where: string): string {
  return `'ui' of langgraph.json needs ${BUNDLER_PACKAGE}, which is not installed in ${where}. Run npm install --save-dev ${BUNDLER_PACKAGE}`;
}
