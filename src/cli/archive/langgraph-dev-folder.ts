import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArchiveLine, archiveOf } from '../../client/thread-archive.ts';
import { Failure } from '../terminal/failure.ts';
import type { DevFolderOptions } from './dev-folder-options.ts';

const FOLDER = '.langgraph_api';

/**
 * Reads the threads that `langgraph dev` stores in its folder, as an archive. npm's `@langchain/langgraph-cli` stores
 * JSON, PyPI's `langgraph-cli[inmem]` stores pickles, which are read as data and never unpickled.
 * @param folder the `.langgraph_api` folder, or the folder that contains it
 * @throws Failure for any other folder
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
