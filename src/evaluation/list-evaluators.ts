import type { Client } from '../client/client.ts';
import type { CallOptions } from '../client/transport.ts';
import { EvaluationError } from './evaluation-error.ts';
import type { EvaluatorReference } from './score-run.ts';

/**
 * Lists the evaluators that the files of a project export. This executes the files in the process of the graphs.
 * @param files paths relative to the folder of langgraph.json
 * @throws RequestError when a file does not load; EvaluationError when two files export the same name
 */
export async function listEvaluators(
  { evaluators }: Pick<Client, 'evaluators'>,
  deploymentId: string,
  files: readonly string[],
  options: CallOptions = {},
): Promise<EvaluatorReference[]> {
  const found: EvaluatorReference[] = [];
  for (const file of files) {
    const { names } = await evaluators.list(
      { params: { deployment_id: deploymentId }, query: { file } },
      options,
    );
    for (const name of names) {
      const other = found.find((known) => known.name === name);
      if (other !== undefined) {
        throw new EvaluationError(
          `${other.file} and ${file} both export the evaluator '${name}'. Rename one.`,
        );
      }
      found.push({ file, name });
    }
  }
  return found;
}

/**
 * The evaluators that a dataset names, or all if it names none.
 * @throws EvaluationError for an unknown name.
 */
export function selectEvaluators(
  all: readonly EvaluatorReference[],
  names: readonly string[] | undefined,
): readonly EvaluatorReference[] {
  if (names === undefined) return all;
  return names.map((name) => {
    const found = all.find((evaluator) => evaluator.name === name);
    if (found !== undefined) return found;
    const known = all.map((evaluator) => `'${evaluator.name}'`).join(', ') || 'none';
    throw new EvaluationError(`No file in evals exports the evaluator '${name}'. Evaluators: ${known}.`);
  });
}
