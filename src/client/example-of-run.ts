import { z } from 'zod';
import type { Client } from './client.ts';
import { withPlainMessages } from './plain-messages.ts';
import type { CallOptions } from './transport.ts';

/** How a run becomes an example of a dataset. */
interface ExampleOfRun {
  /** Fields of the request that creates the example. */
  readonly body: {
    readonly source_run_id: string;
    readonly use_source_run_io?: true;
    readonly inputs?: Record<string, unknown>;
    readonly outputs?: Record<string, unknown>;
  };
  /** Whether the run only answered an interrupt, so that its inputs are not inputs of the agent. */
  readonly isResumed: boolean;
}

const Fields = z.record(z.string(), z.unknown());
/** The traced input of a run that resumes: LangGraph's Command, as tracers of both languages write it. */
const Resumed = z.looseObject({
  resume: z.unknown().refine((resume) => resume !== undefined && resume !== null),
  goto: z.union([z.array(z.unknown()), z.string()]),
});

/**
 * Makes an example of the inputs and outputs of a run: as they were traced, but with plain messages where
 * LangChain.js traced its serialized objects.
 * @throws RequestError 404 when there is no such run.
 */
export async function makeExampleOfRun(
  { tracing }: Pick<Client, 'tracing'>,
  runId: string,
  options: CallOptions = {},
): Promise<ExampleOfRun> {
  const run = await tracing.runs.get({ params: { run_id: runId } }, options);
  const isResumed = Resumed.safeParse(run.inputs).success;
  const [inputs, outputs] = [withPlainMessages(run.inputs), withPlainMessages(run.outputs)];
  if (inputs === run.inputs && outputs === run.outputs) {
    return { body: { source_run_id: runId, use_source_run_io: true }, isResumed };
  }
  // A run without inputs, or with inputs that are not an object, becomes an example with empty inputs.
  const body = {
    source_run_id: runId,
    inputs: Fields.catch({}).parse(inputs),
    ...(outputs === null || outputs === undefined ? {} : { outputs: Fields.catch({}).parse(outputs) }),
  };
  return { body, isResumed };
}
