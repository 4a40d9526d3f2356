import type { Client } from '../../client/client.ts';
import { withPlainMessages } from '../../client/plain-messages.ts';
import { ExampleLine } from '../../evaluation/dataset-file.ts';
import { openRunFile } from '../../run-files/run-file-on-disk.ts';
import { readOutline } from '../../run-files/run-file-outline.ts';

/** A run file with the answers for an example. */
export interface Cassette {
  /** Absolute path. */
  readonly file: string;
  /** The path relative to the folder of the dataset, with slashes. */
  readonly relative: string;
}

/**
 * Reads a run as a line of a dataset: its inputs, with its outputs as the reference.
 * @param cassette if there is one, the inputs are those of the first run in it
 * @returns the line without its line break; inputs that were not recorded are `{}`
 * @throws RequestError (404 if it has no trace); RunFileError
 */
export async function readExampleLine(
  { tracing }: Pick<Client, 'tracing'>,
  runId: string,
  cassette: Cassette | undefined,
): Promise<string> {
  const run = await tracing.runs.get({ params: { run_id: runId } });
  const example = ExampleLine.parse({
    inputs: (cassette && (await readInput(cassette))) ?? withPlainMessages(run.inputs) ?? {},
    outputs: withPlainMessages(run.outputs),
    metadata: { source_run_id: run.id },
    ...(cassette && { cassette: cassette.relative }),
  });
  return JSON.stringify(example);
}

/** The input of the first run in a file; later runs only answered its questions. */
async function readInput({ file }: Cassette): Promise<object | undefined> {
  const [first] = (await readOutline((kinds) => openRunFile(file, kinds))).runs;
  const input = first?.input;
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : undefined;
}
