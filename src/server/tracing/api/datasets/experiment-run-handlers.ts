import type { experimentRuns, experimentRunsV2 } from '../../../../contract/datasets/experiment-runs.ts';
import { JsonText } from '../../../http/reply.ts';
import type { Handlers } from '../../../http/router.ts';
import type { TracingServices } from '../../services/services.ts';
import { readOffset, writeOffset } from '../query/offset-cursor.ts';
import { fieldsOf, toV2Run } from '../query/v2-form.ts';
import { DEFAULT_PAGE_SIZE } from '../query/v2-query.ts';

/**
 * Examples of a dataset with the runs of experiments on them, in both forms of the public interface
 * (docs/interface/tracing.md#datasets).
 */
export function experimentRunHandlers({ read }: TracingServices) {
  const v1: Handlers<typeof experimentRuns> = {
    list: async ({ params, body, caller: { workspaceId } }) => {
      const { examples } = await read('experimentRuns', {
        workspaceId,
        datasetId: params.dataset_id,
        sessionIds: body.session_ids,
        filters: body.filters ?? undefined,
        select: body.preview ? PREVIEWED : undefined,
        limit: body.limit,
        offset: body.offset,
      });
      return new JsonText(JSON.stringify(examples));
    },
  };
  const v2: Handlers<typeof experimentRunsV2> = {
    query: async ({ params, body, caller: { workspaceId } }) => {
      const offset = readOffset(body.cursor);
      const limit = body.page_size ?? DEFAULT_PAGE_SIZE;
      const { examples, more } = await read('experimentRuns', {
        workspaceId,
        datasetId: params.dataset_id,
        sessionIds: body.experiment_ids,
        exampleIds: body.example_ids ?? undefined,
        filters: body.filters ?? undefined,
        sort: body.sort ?? undefined,
        select: fieldsOf(body.selects),
        limit,
        offset,
      });
      const items = examples.map((example) => ({ ...example, runs: example.runs.map(toV2Run) }));
      const next_cursor = more ? writeOffset(offset + limit) : null;
      return new JsonText(JSON.stringify({ items, next_cursor }));
    },
  };
  return { v1, v2 };
}

/** The fields of a run that lists show as previews. */
const PREVIEWED = [
  'id',
  'name',
  'run_type',
  'status',
  'start_time',
  'end_time',
  'error',
  'tags',
  'feedback_stats',
  'trace_id',
  'dotted_order',
  'session_id',
  'app_path',
  'inputs_preview',
  'outputs_preview',
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
  'total_cost',
  'prompt_cost',
  'completion_cost',
];
