import { dirname, relative, resolve } from 'node:path';
import { DATASET_ENDING, type DatasetFile, parseDatasetFile } from '../../evaluation/dataset-file.ts';
import { findDatasets } from '../../evaluation/find-evaluations.ts';
import { refuseEqualNames } from '../../evaluation/project-datasets.ts';
import { formatOfName } from '../../example-files/format.ts';
import { ifPresent } from '../../process/if-present.ts';
import { messageOf } from '../../process/message-of.ts';
import { filesOnDisk } from '../../project/project-files.ts';
import { readText } from '../../project/read-text.ts';
import { Failure } from '../terminal/failure.ts';
import { parsePromptfooFile } from './promptfoo-file.ts';

/**
 * Reads the datasets that the command line names, or all datasets of the project.
 * @param config the real path of a langgraph.json
 * @param named paths of datasets or of promptfoo files with tests
 * @throws Failure when there is none, or one is invalid, with the file and line; also what `refuseEqualNames` throws
 */
export async function readDatasets(config: string, named: readonly string[]): Promise<DatasetFile[]> {
  const folder = dirname(config);
  const files =
    named.length > 0 ? named.map((file) => resolve(file)) : await findDatasets(filesOnDisk, folder);
  if (files.length === 0) {
    throw new Failure(
      `No datasets below ${folder}. Write one, such as evals/basics${DATASET_ENDING}, with an example per line: {"inputs": {…}, "outputs": {…}}.`,
    );
  }
  const datasets: DatasetFile[] = [];
  for (const file of files) {
    const isPromptfoo = formatOfName(file) === 'promptfoo';
    if (!isPromptfoo && !file.endsWith(DATASET_ENDING)) {
      throw new Failure(
        `The name of a dataset ends with ${DATASET_ENDING}, or with .yaml for promptfoo's tests: ${file}.`,
      );
    }
    const text = await ifPresent(readText(file)).catch((error: unknown) => {
      throw new Failure(`${file} cannot be read: ${messageOf(error)}.`);
    });
    if (text === undefined) throw new Failure(`File not found: ${file}.`);
    datasets.push(isPromptfoo ? parsePromptfooFile(file, text) : parseDatasetFile(file, text));
  }
  const problems = datasets.flatMap(({ file, problems: all }) =>
    all.map(({ line, message }) => `${relative(process.cwd(), file)}:${line}: ${message}`),
  );
  if (problems.length > 0) throw new Failure(problems.join('\n'));
  const empty = datasets.find(({ examples }) => examples.length === 0);
  if (empty !== undefined)
    throw new Failure(`${empty.file} has no examples. Write one per line: {"inputs": {…}, "outputs": {…}}.`);
  await refuseEqualNames(datasets, folder);
  return datasets;
}
