// The server's entry point. Starts the process for graphs, which takes longest to load, before it loads the server itself.
import { parseArgs } from 'node:util';
import { forgetMallocSettings } from '../process/malloc-settings.ts';
import { SecretVariableError } from '../process/secret-variables.ts';
import type { RuntimeHeadStart } from './runtimes/generations/runtime-head-start.ts';
import { NODE_RUNTIME } from './runtimes/node/node-runtime.ts';
import { makeStopWithServer } from './runtimes/process/stop-with-server.ts';
import { takeServerEnvironment } from './server-environment.ts';

/** The exit code of main.ts for an invalid command line. */
const USAGE = 2;

const environment = readEnvironment();
forgetMallocSettings();
forgetMallocSettings(environment);
const { folder } = parseArgs({ options: { folder: { type: 'string' } }, strict: false }).values;
const headStart = typeof folder === 'string' ? await beginHeadStart(folder) : undefined;
const { serve } = await import('./main.ts');
await serve(headStart, environment);

function readEnvironment(): NodeJS.ProcessEnv {
  try {
    return takeServerEnvironment(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof SecretVariableError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(USAGE);
  }
}

async function beginHeadStart(firstFolder: string): Promise<RuntimeHeadStart> {
  // The check for `setpriv` starts now, and finishes while the code that reads the project is being loaded.
  void makeStopWithServer();
  const { RuntimeHeadStart } = await import('./runtimes/generations/runtime-head-start.ts');
  return RuntimeHeadStart.begin(firstFolder, NODE_RUNTIME);
}
