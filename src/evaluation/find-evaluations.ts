import path from 'node:path';
import { z } from 'zod';
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

const Config = z.looseObject({ graphs: z.record(z.string(), z.unknown()) });

/**
 * The graph that a dataset evaluates.
 * @param named the graph that the dataset names, if any
 * @param graphs the graphs in langgraph.json
 * @throws EvaluationError when the graph does not exist, or the dataset names none and there are several
 */
export function graphOf(named: string | undefined, graphs: readonly string[]): string {
  const names = graphs.map((name) => `'${name}'`).join(', ');
  if (named !== undefined) {
    if (graphs.includes(named)) return named;
    throw new EvaluationError(`langgraph.json has no graph '${named}'. Its graphs: ${names}.`);
  }
  const [only, ...others] = graphs;
  if (only !== undefined && others.length === 0) return only;
  throw new EvaluationError(
    `langgraph.json has ${graphs.length} graphs. Name one in the first line of the dataset: {"dataset": {"graph": "${only ?? 'agent'}"}}.`,
  );
}

/** The names of a langgraph.json's graphs. @throws EvaluationError when it cannot be read. */
export function readGraphNames(text: string): string[] {
  try {
    return Object.keys(Config.parse(JSON.parse(text)).graphs);
  } catch {
    throw new EvaluationError(
      'langgraph.json is not valid. Run agent-harbor check to see what is wrong with it.',
    );
  }
}

/** An evaluation that cannot be run. The message says why, and what to do. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
}
