import { z } from 'zod';
import { Comparison } from '../datasets/comparisons.ts';
import { Dataset } from '../datasets/datasets.ts';
import { Example } from '../datasets/examples.ts';
import { endpoint } from '../endpoint.ts';
import { JsonObject, LooseUuid, QueryBoolean, QueryList, queryPaging, Uuid } from '../fields.ts';
import { RunRead, RunsQuery } from './runs.ts';
import { Session } from './sessions.ts';

export const RunShare = z.looseObject({
  run_id: z.string(),
  shared_trace_id: z.string(),
  share_token: z.string(),
});
export type RunShare = z.output<typeof RunShare>;

export const DatasetShare = z.looseObject({ dataset_id: z.string(), share_token: z.string() });
export type DatasetShare = z.output<typeof DatasetShare>;

/** Clients may generate the token themselves; otherwise, the server does. */
const ShareRequest = z.looseObject({ share_token: Uuid.nullish() });

const Message = z.looseObject({ message: z.string() });
const runParams = z.object({ run_id: LooseUuid });
const datasetParams = z.object({ dataset_id: Uuid });
const tokenParams = z.object({ share_token: Uuid });
const Runs = z.array(RunRead.partial());

/** Links that give anyone read access to one trace or dataset, without a key (docs/interface/tracing.md#sharing). */
export const sharing = {
  readRunShare: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/runs/{run_id}/share',
    summary: "Get the share link of a run's trace, or null",
    credentials: 'api-key',
    right: 'read',
    params: runParams,
    responses: { 200: RunShare.nullable() },
  }),
  shareRun: endpoint({
    kind: 'json',
    method: 'PUT',
    path: '/runs/{run_id}/share',
    summary: 'Share the trace of a run with anyone who has the token',
    credentials: 'api-key',
    right: 'write',
    params: runParams,
    body: ShareRequest,
    responses: { 200: RunShare },
  }),
  unshareRun: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/runs/{run_id}/share',
    summary: 'Stop sharing a trace',
    credentials: 'api-key',
    right: 'write',
    params: runParams,
    responses: { 200: Message },
  }),
  readDatasetShare: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/datasets/{dataset_id}/share',
    summary: 'Get the share link of a dataset, or null',
    credentials: 'api-key',
    right: 'read',
    params: datasetParams,
    responses: { 200: DatasetShare.nullable() },
  }),
  shareDataset: endpoint({
    kind: 'json',
    method: 'PUT',
    path: '/datasets/{dataset_id}/share',
    summary: 'Share the current version of a dataset with anyone who has the token',
    credentials: 'api-key',
    right: 'write',
    params: datasetParams,
    query: z.object({ share_projects: QueryBoolean.default(false) }),
    body: ShareRequest,
    responses: { 200: DatasetShare },
  }),
  unshareDataset: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/datasets/{dataset_id}/share',
    summary: 'Stop sharing a dataset',
    credentials: 'api-key',
    right: 'write',
    params: datasetParams,
    responses: { 200: Message },
  }),
  sharedRoot: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/public/{share_token}/run',
    summary: 'Get the shared run',
    credentials: 'presigned',
    params: tokenParams,
    responses: { 200: RunRead },
  }),
  sharedRun: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/public/{share_token}/run/{run_id}',
    summary: 'Get a run of a shared trace',
    credentials: 'presigned',
    params: tokenParams.extend({ run_id: LooseUuid }),
    responses: { 200: RunRead },
  }),
  sharedRuns: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/public/{share_token}/runs',
    summary: 'List the runs of a shared trace',
    credentials: 'presigned',
    params: tokenParams,
    query: z.object({ id: QueryList.optional() }),
    responses: { 200: Runs },
  }),
  querySharedRuns: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/public/{share_token}/runs/query',
    summary: 'Search the runs of a shared trace',
    credentials: 'presigned',
    params: tokenParams,
    body: RunsQuery,
    responses: {
      200: z.looseObject({ runs: Runs, cursors: z.record(z.string(), z.string().nullable()) }),
    },
  }),
  sharedDataset: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/public/{share_token}/datasets',
    summary: 'Get a shared dataset',
    credentials: 'presigned',
    params: tokenParams,
    responses: { 200: Dataset },
  }),
  sharedExamples: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/public/{share_token}/examples',
    summary: 'List the examples of a shared dataset',
    credentials: 'presigned',
    params: tokenParams,
    query: z.object({
      ...queryPaging(100, 100),
      id: QueryList.optional(),
    }),
    responses: { 200: z.array(Example.partial()) },
  }),
  sharedSessions: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/public/{share_token}/datasets/sessions',
    summary: 'List the experiments on a shared dataset, if they are shared too',
    credentials: 'presigned',
    params: tokenParams,
    query: z.object({
      ...queryPaging(100, 100),
      id: QueryList.optional(),
      name: z.string().optional(),
      name_contains: z.string().optional(),
    }),
    responses: { 200: z.array(Session) },
  }),
  sharedComparisons: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/public/{share_token}/datasets/comparative',
    summary: 'List the comparisons of experiments on a shared dataset, if they are shared too',
    credentials: 'presigned',
    params: tokenParams,
    query: z.object({ ...queryPaging(100, 100), name: z.string().optional() }),
    responses: { 200: z.array(Comparison) },
  }),
};

/** Links to shared runs, in the v2 form of run queries. */
export const sharingV2 = {
  share: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/v2/runs/{run_id}/share',
    summary: 'Share the trace of a run',
    credentials: 'api-key',
    right: 'write',
    params: runParams,
    body: JsonObject,
    responses: { 200: z.looseObject({ share_token: z.string() }) },
  }),
  unshare: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/v2/runs/{run_id}/share',
    summary: 'Stop sharing a trace',
    credentials: 'api-key',
    right: 'write',
    params: runParams,
    responses: { 204: null },
  }),
  sharedRun: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v2/public/{share_token}/run/{run_id}',
    summary: 'Get a run of a shared trace',
    credentials: 'presigned',
    params: tokenParams.extend({ run_id: LooseUuid }),
    query: z.object({ selects: QueryList.optional(), start_time: z.string().optional() }),
    responses: { 200: z.looseObject({ id: z.string() }) },
  }),
  querySharedRuns: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/v2/public/{share_token}/runs/query',
    summary: 'List the runs of a shared trace',
    credentials: 'presigned',
    params: tokenParams,
    body: z.looseObject({ selects: z.array(z.string()).nullish() }),
    responses: { 200: z.looseObject({ items: z.array(z.looseObject({ id: z.string() })) }) },
  }),
};
