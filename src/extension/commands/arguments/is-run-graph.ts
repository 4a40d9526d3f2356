import type { RunGraph } from '../../../contract/language-server.ts';

/** Whether the argument of a command names a graph of a langgraph.json: code lenses pass it. */
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
