import { realpath } from 'node:fs/promises';
import path from 'node:path';

/**
 * Resolves the path of a run file that a caller names. Its folder must be in the project's folder, also after symbolic
 * links are resolved.
 * @param config the real path of langgraph.json
 * @throws Error with a sentence for the caller
 */
export async function runFilePath(config: string, file: string): Promise<string> {
  const folder = path.dirname(config);
  const named = path.resolve(folder, file);
  if (!named.endsWith('.agentrun')) throw new Error(`A run file ends with .agentrun: '${file}'.`);
  const parent = await realpath(path.dirname(named)).catch(() => {
    throw new Error(`The folder of '${file}' does not exist.`);
  });
  const relative = path.relative(folder, parent);
  if (relative.startsWith('..') || path.isAbsolute(relative)) {
    throw new Error(`'${file}' is outside of the project's folder ${folder}.`);
  }
  return path.join(parent, path.basename(named));
}
