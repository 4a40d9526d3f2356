import type { RunGraph } from '../../../contract/language-server.ts';

/** Whether a command was called by a code lens. */
export function isRunGraph(argument: unknown): argument is RunGraph {
  return (
    typeof argument === 'object' &&
    argument !== null &&
    'config_path' in argument &&
    'graph_id' in argument &&
    typeof argument.config_path === 'string' &&
    typeof argument.graph_id === 'string'
  );
}
