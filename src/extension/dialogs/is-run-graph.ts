import type { RunGraph } from '../../contract/language-server.ts';

/** Whether a command was called by a code lens. */
export function isRunGraph(given: unknown): given is RunGraph {
  return (
    typeof given === 'object' &&
    given !== null &&
    'config_path' in given &&
    'graph_id' in given &&
    typeof given.config_path === 'string' &&
    typeof given.graph_id === 'string'
  );
}
