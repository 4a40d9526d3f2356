import type { Client } from '../../client/client.ts';
import { withPlainMessages } from '../../client/plain-messages.ts';
import { ExampleLine } from '../../evaluation/dataset-file.ts';

/**
 * A run as a line of a dataset: its inputs, and what it answered as the reference.
 * @throws RequestError 404 when there is no such run; ZodError when it has no inputs.
 */
export async function readExampleLine({ tracing }: Pick<Client, 'tracing'>, runId: string): Promise<string> {
  const run = await tracing.runs.get({ params: { run_id: runId } });
  const example = ExampleLine.parse({
    inputs: withPlainMessages(run.inputs) ?? {},
    outputs: withPlainMessages(run.outputs),
    metadata: { source_run_id: run.id },
  });
  return JSON.stringify(example);
}
