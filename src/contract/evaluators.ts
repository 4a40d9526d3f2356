import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { JsonObject, Uuid } from './fields.ts';

/** A score, in the fields of LangSmith's feedback. */
export const EvaluationResult = z.object({
  key: z.string().min(1),
  score: z.union([z.number(), z.boolean()]).nullish(),
  value: z.unknown().optional(),
  comment: z.string().nullish(),
  correction: z.unknown().optional(),
  /** The trace of the evaluator. */
  source_run_id: z.string().nullish(),
});
export type EvaluationResult = z.output<typeof EvaluationResult>;

const params = z.object({ deployment_id: Uuid });
/** A file below the folder of langgraph.json, as a path relative to that folder, with slashes. */
const file = z.string().min(1);

/**
 * The evaluators of a live deployment's folder, which run beside its graphs. Remote platforms do not have these
 * endpoints.
 */
export const evaluators = {
  list: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/harbor/workspaces/{deployment_id}/evaluators',
    summary: 'List the evaluators that a file of a live deployment exports, which runs the file',
    credentials: 'api-key',
    right: 'owner',
    params,
    query: z.object({ file }),
    responses: { 200: z.object({ names: z.array(z.string()) }) },
  }),
  run: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/harbor/workspaces/{deployment_id}/evaluators',
    summary: 'Evaluate a run with an evaluator of a live deployment',
    credentials: 'api-key',
    right: 'owner',
    params,
    body: z.object({ file, name: z.string().min(1), run: JsonObject, example: JsonObject }),
    responses: { 200: z.object({ results: z.array(EvaluationResult) }) },
  }),
};
