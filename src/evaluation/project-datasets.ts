import { filesOnDisk } from '../project/project-files.ts';
import { type DatasetFile, parseDatasetFile } from './dataset-file.ts';
import { EvaluationError } from './evaluation-error.ts';
import { findDatasets } from './find-evaluations.ts';

/** Reads all datasets of a project on disk. */
export async function readProjectDatasets(folder: string): Promise<DatasetFile[]> {
  const files = await findDatasets(filesOnDisk, folder);
  const texts = await Promise.all(files.map((file) => filesOnDisk.read(file)));
  return files.map((file, at) => parseDatasetFile(file, texts[at] ?? ''));
}

/**
 * Refuses datasets with the same name: they would be one dataset on the platform, and uploading one would
 * delete the examples of the other.
 * @param wanted the datasets to evaluate
 * @param folder the folder of their langgraph.json, whose other datasets must have other names
 * @throws EvaluationError
 */
export async function refuseEqualNames(wanted: readonly DatasetFile[], folder: string): Promise<void> {
  const all = [...wanted, ...(await readProjectDatasets(folder))];
  for (const { name, file } of wanted) {
    const other = all.find((each) => each.name === name && each.file !== file);
    if (other === undefined) continue;
    const [first, second] = [file, other.file].sort();
    throw new EvaluationError(
      `${first} and ${second} are both named '${name}'. Name one in its first line: {"dataset": {"name": "another"}}.`,
    );
  }
}
