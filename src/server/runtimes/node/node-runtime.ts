import path from 'node:path';

/** The bundle that runs Node graphs, next to the server's own. */
export const NODE_RUNTIME = path.join(import.meta.dirname, 'runtime-node.js');
