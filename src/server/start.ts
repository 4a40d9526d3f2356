/** The server's entry: begins what takes longest to load before the server itself is read. */
import { parseArgs } from 'node:util';
import { nodeRuntime } from './runtimes/node-runtime.ts';
import { RuntimeHeadStart } from './runtimes/runtime-head-start.ts';

const { workspace } = parseArgs({ options: { workspace: { type: 'string' } }, strict: false }).values;
const headStart =
  typeof workspace === 'string' ? await RuntimeHeadStart.begin(workspace, nodeRuntime) : undefined;
const { serve } = await import('./main.ts');
await serve(headStart);
