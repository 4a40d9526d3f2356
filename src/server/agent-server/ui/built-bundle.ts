import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { ifPresent } from '../../../process/if-present.ts';
import { HttpError } from '../../http/errors.ts';

/** The folder, beside langgraph.json, in which a build stores the components of `ui`. */
export const BUILT_UI_FOLDER = '.agent-harbor-ui';
/** The maximum size of an agent's components. */
const MAX_MB = 64;
const MB = 1_048_576;

/**
 * Reads the components of an agent that a build has bundled. The output of a build is not trusted, so links
 * are not followed.
 * @param dir the folder of langgraph.json.
 * @returns the files by name; undefined if there are none.
 * @throws HttpError 500 if they are too large to be served.
 */
export async function readBuiltBundle(dir: string, agent: string): Promise<Map<string, Buffer> | undefined> {
  const all = path.join(await realpath(dir), BUILT_UI_FOLDER, 'public');
  const folder = path.join(all, agent);
  const real = await ifPresent(realpath(folder));
  if (real !== folder || !folder.startsWith(all + path.sep)) return undefined;
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const sizes = await Promise.all(names.map(async (name) => (await stat(path.join(folder, name))).size));
  const sizeMb = sizes.reduce((sum, size) => sum + size, 0) / MB;
  if (sizeMb > MAX_MB)
    throw new HttpError(
      500,
      `The components of '${agent}' are ${Math.ceil(sizeMb)} MB, and the limit is ${MAX_MB} MB. Make them smaller and build again.`,
    );
  const files = names.map(async (name) => [name, await readFile(path.join(folder, name))] as const);
  return names.length === 0 ? undefined : new Map(await Promise.all(files));
}
