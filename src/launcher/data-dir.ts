import { resolve } from 'node:path';
import envPaths from 'env-paths';

/**
 * The data folder of the user's server: the operating system's default place for application data, shared by
 * the command line and all VS Code variants. `AGENT_HARBOR_DATA_DIR` sets another one, which has its own
 * server.
 * @returns an absolute path.
 */
export function defaultDataDir(environment: NodeJS.ProcessEnv = process.env): string {
  const chosen = environment.AGENT_HARBOR_DATA_DIR;
  if (chosen !== undefined && chosen !== '') return resolve(chosen);
  return envPaths('agent-harbor', { suffix: '' }).data;
}
