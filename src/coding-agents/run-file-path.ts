import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { ifPresent } from '../process/if-present.ts';
import { isInside } from '../project/paths.ts';

/**
 * Resolves the path of a run file that a caller names, with all symbolic links. The file need not exist, but
 * its folder must. The file must be in the project's folder; if it is a link, its target must be too.
 * @param config the real path of langgraph.json
 * @throws Error with a sentence for the caller
 */
export async function runFilePath(config: string, file: string): Promise<string> {
  const folder = path.dirname(config);
  const named = path.resolve(folder, file);
  const parent = await realpath(path.dirname(named)).catch(() => {
    throw new Error(`The folder of '${file}' does not exist.`);
  });
  const entry = path.join(parent, path.basename(named));
  const target = (await ifPresent(realpath(entry))) ?? entry;
  for (const one of [entry, target]) {
    if (!one.endsWith('.agentrun')) throw new Error(`A run file ends with .agentrun: '${file}'.`);
    if (!isInside(folder, one)) {
      throw new Error(`'${file}' is outside of the project's folder ${folder}.`);
    }
  }
  // A new file would be written wherever the link leads.
  if (target === entry && (await ifPresent(lstat(entry)))?.isSymbolicLink()) {
    throw new Error(`'${file}' is a link to a file that does not exist. Delete the link.`);
  }
  return target;
}
