import path from 'node:path';
import type { ProjectFiles } from '../project/project-files.ts';
import { DATASET_ENDING } from './dataset-file.ts';

/** Folders that contain no files of the project itself. */
const SKIPPED_FOLDERS = /^(?:\..*|node_modules|s?venv|env|dist|build|out|site-packages|__pycache__)$/;
/** How many levels of folders are searched for datasets. */
const MAX_DEPTH = 8;
/** The folder beside langgraph.json whose files export evaluators. */
export const EVALUATORS_FOLDER = 'evals';
/** Sources other than tests, type declarations and `__init__.py`. */
const EVALUATOR_FILE =
  /^(?!.*\.d\.[cm]?ts$)(?!__init__)(?!.*\.(?:test|spec|eval)\.)(?!test_).*\.(?:[cm]?[jt]s|py)$/;

/** Finds the datasets below the folder of a langgraph.json, except in folders with another langgraph.json. */
export async function findDatasets(files: ProjectFiles, folder: string): Promise<string[]> {
  const found: string[] = [];
  const search = async (at: string, depth: number): Promise<void> => {
    const entries = await files.list(at);
    if (depth > 0 && entries.some(({ name }) => name === 'langgraph.json')) return;
    for (const { name, kind } of entries) {
      if (kind === 'file' && name.endsWith(DATASET_ENDING)) found.push(path.join(at, name));
      if (kind === 'folder' && depth < MAX_DEPTH && !SKIPPED_FOLDERS.test(name))
        await search(path.join(at, name), depth + 1);
    }
  };
  await search(folder, 0);
  return found.sort();
}

/**
 * Finds the files that may export evaluators: those in the folder `evals` beside langgraph.json.
 * @returns paths relative to the folder of langgraph.json, with slashes
 */
export async function findEvaluatorFiles(files: ProjectFiles, folder: string): Promise<string[]> {
  const entries = await files.list(path.join(folder, EVALUATORS_FOLDER));
  return entries
    .filter(({ name, kind }) => kind === 'file' && EVALUATOR_FILE.test(name))
    .map(({ name }) => `${EVALUATORS_FOLDER}/${name}`)
    .sort();
}
