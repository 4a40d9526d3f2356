import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '../../project/paths.ts';
import { askGeneration } from '../agent-server/runtime/ask-runtime.ts';
import { invalid } from '../http/errors.ts';
import type { DeploymentRuntime } from '../runtimes/deployment-runtime.ts';
import type { RuntimeConnection } from '../runtimes/process/runtime-process.ts';
import { languageOf } from '../runtimes/project/language.ts';

/** A file with evaluators, as a request names it. */
export interface EvaluatorFile {
  /** The file's path relative to the folder. */
  readonly file: string;
  /** The part of the request that names the file, for errors. */
  readonly loc: 'query' | 'body';
}

/**
 * Sends a request about the evaluators in a file to the process for the file's language.
 * @param folder the folder of langgraph.json.
 * @throws HttpError 422 for a file outside the folder or in a language without a process, 400 for errors of the file,
 * 503 while the runtime does not answer.
 */
export async function askEvaluators<Result>(
  runtime: DeploymentRuntime,
  folder: string,
  { file, loc }: EvaluatorFile,
  question: (connection: RuntimeConnection, absolute: string) => Promise<Result>,
): Promise<Result> {
  const absolute = await findBelow(folder, file, loc);
  return askGeneration(runtime, async (generation) => {
    // `languageOf` expects `file:export`; only the file decides.
    const asked = generation.runtimeOfLanguage(languageOf(`${absolute}:`));
    if (asked === undefined) {
      const [{ language }] = generation.runtimes;
      throw invalid(
        [loc, 'file'],
        `The graphs of this project run on ${language === 'node' ? 'Node' : 'Python'}, so its evaluators must be written for it too: ${file}.`,
      );
    }
    return asked.use((connection) => question(connection, absolute));
  });
}

/** The real path of a file. @throws HttpError 422 if it is not in the folder, or not in a language of evaluators. */
async function findBelow(folder: string, file: string, loc: EvaluatorFile['loc']): Promise<string> {
  const asked = path.resolve(folder, file);
  const [top, real] = await Promise.all([
    realpath(folder),
    realpath(asked).catch(() => {
      throw invalid([loc, 'file'], `File not found: ${asked}.`);
    }),
  ]);
  if (path.isAbsolute(file) || !isInside(top, real)) {
    throw invalid([loc, 'file'], `Must be below the folder of langgraph.json: ${file}.`);
  }
  if (!/\.(?:[cm]?[jt]s|py)$/.test(real)) {
    throw invalid([loc, 'file'], `Must be a TypeScript, JavaScript or Python file: ${file}.`);
  }
  return real;
}
