import path from 'node:path';
import type { DatasetFile, FileExample } from './dataset-file.ts';
import {
  type ExampleResult as ExampleResultOf,
  type ExamplesRequest,
  type ExamplesResult,
  evaluateExamples,
} from './evaluate-examples.ts';
import { PARTIAL_MARK } from './experiment.ts';
import { uploadDataset } from './upload-dataset.ts';

export interface EvaluationRequest extends Omit<ExamplesRequest<FileExample>, 'dataset' | 'examples'> {
  readonly file: DatasetFile;
  /** The folder of langgraph.json. */
  readonly folder: string;
  /** The examples to run; all in the file when absent. */
  readonly examples?: readonly FileExample[];
}

/** An example in a file, with its runs. */
export type ExampleResult = ExampleResultOf<FileExample>;

/** The result of evaluating the dataset in a file. */
export interface DatasetResult extends ExamplesResult<FileExample> {
  readonly file: DatasetFile;
  /** The name of its dataset on the platform. */
  readonly datasetName: string;
  /** See `UploadedDataset`. */
  readonly overwritten: number;
}

/**
 * Uploads the dataset in a file, and evaluates a graph over it.
 * @throws what `uploadDataset` and `evaluateExamples` throw.
 */
export async function evaluateDataset(request: EvaluationRequest): Promise<DatasetResult> {
  const { client, file, folder, project, settings, signal, metadata, examples = file.examples } = request;
  const place = path.relative(folder, file.file).split(path.sep).join('/');
  const dataset = await uploadDataset(client, file, { identity: project, place }, { signal });
  const result = await evaluateExamples({
    ...request,
    metadata: examples.length < file.examples.length ? { ...metadata, [PARTIAL_MARK]: true } : metadata,
    dataset,
    // `exampleIds` has an ID for each example of the file.
    examples: examples.map((example) => ({
      id: dataset.exampleIds[file.examples.indexOf(example)] ?? '',
      example,
      cassette:
        settings.cassettes && example.cassette !== undefined
          ? path.join(path.dirname(file.file), example.cassette)
          : undefined,
    })),
  });
  return { ...result, file, datasetName: dataset.name, overwritten: dataset.overwritten };
}
