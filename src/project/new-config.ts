import type { FoundGraph } from './find-graphs.ts';

/**
 * The text of a new langgraph.json.
 * @param graphs at least one
 * @param hasEnv whether there is a `.env`
 */
export function newConfig(graphs: readonly FoundGraph[], hasEnv: boolean): string {
  const languages = new Set(graphs.map(({ language }) => language));
  const config = {
    ...(languages.has('javascript') && { node_version: '20' }),
    ...(languages.has('python') && { dependencies: ['.'] }),
    graphs: Object.fromEntries(graphs.map(({ id, reference }) => [id, reference])),
    ...(hasEnv && { env: '.env' }),
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
