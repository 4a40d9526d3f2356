import { resolve } from 'node:path';
import envPaths from 'env-paths';

/**
 * The folder the user's server keeps everything in: the operating system's standard place for data, shared by the
 * command line and every flavour of VS Code. `AGENT_HARBOR_DATA_DIR` names another, which makes another server.
 * @returns an absolute path.
 */
export function defaultDataDir(environment: NodeJS.ProcessEnv = process.env): string {
  const chosen = environment.AGENT_HARBOR_DATA_DIR;
  if (chosen !== undefined && chosen !== '') return resolve(chosen);
  return envPaths('agent-harbor', { suffix: '' }).data;
}
