import { readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { ifReadable } from '../../../process/if-present.ts';
import { listToolPythons } from '../python/python-executable.ts';

const PYTHON = /^python3?(?:\.\d+)?$/;

/**
 * The real paths of the Python interpreters on this machine: those on the PATH, and those of pyenv and uv.
 * @param searchPath the server's own PATH.
 */
export async function listInterpreters(searchPath: string | undefined): Promise<ReadonlySet<string>> {
  const folders = (searchPath ?? '').split(path.delimiter).filter((folder) => folder !== '');
  const onPath = await Promise.all(
    folders.map(async (folder) => {
      const names = (await ifReadable(readdir(folder))) ?? [];
      return names.filter((name) => PYTHON.test(name)).map((name) => path.join(folder, name));
    }),
  );
  const files = [...onPath.flat(), ...(await listToolPythons())];
  const real = await Promise.all(files.map((file) => ifReadable(realpath(file))));
  return new Set(real.filter((file) => file !== undefined));
}
