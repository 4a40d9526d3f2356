import type { RunType } from '../../../contract/tracing/runs.ts';

/** The types of runs that call a model. */
const MODEL_CALLS: readonly RunType[] = ['llm', 'embedding'];

/** The condition for rows of `runs` that call a model, in SQL. */
export const IS_MODEL_CALL = `runs.run_type IN (${MODEL_CALLS.map((type) => `'${type}'`).join(', ')})`;

/** Whether runs of a type call a model. */
export function isModelCall(runType: string): boolean {
  return MODEL_CALLS.some((type) => type === runType);
}
