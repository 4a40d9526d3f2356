import { getJob, listJobs, previewPurge, readAudit, readWindow } from '../purging/purge-jobs.ts';
import { readTtl } from '../purging/ttl-settings.ts';
import type { Blobs } from '../storage/blobs.ts';
import type { TracesDatabase } from '../storage/traces-database.ts';
import { listComparisons } from './datasets/comparisons.ts';
import {
  diffVersions,
  getDataset,
  getVersion,
  listDatasets,
  listSplits,
  listVersions,
} from './datasets/datasets-store.ts';
import { experimentRuns } from './datasets/experiment-runs.ts';
import { allExamples, countExamples, getExample, listExamples } from './datasets/read-examples.ts';
import { listFeedbackConfigs } from './feedback/feedback-configs.ts';
import { getFeedback, listFeedback, listTokens } from './feedback/read-feedback.ts';
import { queryRuns } from './query/query-runs.ts';
import { queryThreads } from './query/query-threads.ts';
import { openAttachment, readAttachment, readRun } from './query/read-run.ts';
import { runStats } from './query/run-stats.ts';
import { traceTree } from './query/trace-tree.ts';
import { listRules } from './rules/run-rules.ts';
import { getSession, listSessions } from './sessions/read-sessions.ts';
import { openShare, readDatasetShare, readRunShare } from './sharing/shares.ts';
import type { SignedLinks } from './signed-links.ts';

/** What the reading thread works with. */
export interface ReaderContext {
  readonly db: TracesDatabase;
  readonly blobs: Blobs;
  /** Signs the addresses of attachments; absent where none are shown. */
  readonly links?: SignedLinks;
}

type Rest<Operation> = Operation extends (context: ReaderContext, argument: infer A) => infer R
  ? (argument: A) => R
  : never;

const operations = {
  readRun,
  readAttachment,
  queryRuns,
  runStats,
  queryThreads,
  traceTree,
  listSessions,
  getSession,
  listFeedback,
  getFeedback,
  listTokens,
  previewPurge,
  listJobs,
  getJob,
  readAudit,
  readWindow,
  readTtl,
  openAttachment,
  listDatasets,
  getDataset,
  listVersions,
  getVersion,
  diffVersions,
  listSplits,
  listExamples,
  countExamples,
  getExample,
  allExamples,
  experimentRuns,
  listComparisons,
  listFeedbackConfigs,
  listRules,
  openShare,
  readRunShare,
  readDatasetShare,
};

export type ReadOperations = { readonly [Name in keyof typeof operations]: Rest<(typeof operations)[Name]> };

/** Everything that only reads `traces.db`. */
export function readOperations(
  context: ReaderContext,
): Readonly<Record<string, (argument: never) => unknown>> {
  return Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      (argument: never) =>
        (operation as (context: ReaderContext, argument: never) => unknown)(context, argument),
    ]),
  );
}
