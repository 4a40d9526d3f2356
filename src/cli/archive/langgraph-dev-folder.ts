import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArchiveLine, archiveOf } from '../../client/thread-archive.ts';
import { Failure } from '../terminal/failure.ts';
import type { DevFolderOptions } from './read-options.ts';

const FOLDER = '.langgraph_api';

/**
 * The threads that `langgraph dev` keeps in its folder, as an archive: that of npm's `@langchain/langgraph-cli`
 * (JSON) or of PyPI's `langgraph-cli[inmem]` (pickles, which are read as data and never unpickled). Both read
 * these files whole, and so does this.
 * @param folder the `.langgraph_api` folder, or the one it is in.
 * @throws Failure for a folder of neither.
 */
export async function readLanggraphDevFolder(
  folder: string,
  options: DevFolderOptions,
): Promise<AsyncIterable<ArchiveLine>> {
  const names = await readdir(folder);
  if (names.includes(FOLDER)) return readLanggraphDevFolder(join(folder, FOLDER), options);
  if (names.includes('.langgraphjs_api.checkpointer.json')) {
    const { readJavaScriptFolder } = await import('./langgraph-dev-javascript.ts');
    return archiveOf(readJavaScriptFolder(folder, options));
  }
  if (names.includes('.langgraph_checkpoint.1.pckl')) {
    const { readPythonFolder } = await import('./langgraph-dev-python.ts');
    return archiveOf(readPythonFolder(folder, options));
  }
  throw new Failure(`${folder} contains no threads of langgraph dev. Select its ${FOLDER} folder.`);
}
