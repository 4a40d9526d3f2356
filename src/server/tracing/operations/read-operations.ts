import type { ReaderContext } from '../context/reader-context.ts';
import type { OperationsOf } from '../database/operations.ts';
import { listComparisons } from '../datasets/comparisons.ts';
import { diffVersions, getVersion, listVersions } from '../datasets/dataset-versions.ts';
import { getDataset, listDatasets } from '../datasets/datasets-store.ts';
import { experimentRuns } from '../datasets/experiment-runs.ts';
import {
  allExamples,
  countExamples,
  examplesToCopy,
  getExample,
  listExamples,
  listSplits,
} from '../datasets/read-examples.ts';
import { listFeedbackConfigs } from '../feedback/feedback-configs.ts';
import { listTokens } from '../feedback/list-tokens.ts';
import { getFeedback, listFeedback } from '../feedback/read-feedback.ts';
import { listOpenRuns } from '../query/list-open-runs.ts';
import { queryRuns } from '../query/query-runs.ts';
import { queryThreads } from '../query/query-threads.ts';
import { openAttachment, readAttachment } from '../query/read-attachment.ts';
import { readRun } from '../query/read-run.ts';
import { runStats } from '../query/run-stats.ts';
import { readStoredBytes } from '../query/stored-bytes.ts';
import { traceTree } from '../query/trace-tree.ts';
import { listRules } from '../rules/run-rules.ts';
import { getSession, listSessions } from '../sessions/read-sessions.ts';
import { openShare, readDatasetShare, readRunShare } from '../sharing/shares.ts';

/** All tracing operations that only read data. */
export const readOperations = {
  readRun,
  readAttachment,
  readStoredBytes,
  listOpenRuns,
  queryRuns,
  runStats,
  queryThreads,
  traceTree,
  listSessions,
  getSession,
  listFeedback,
  getFeedback,
  listTokens,
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
  examplesToCopy,
  experimentRuns,
  listComparisons,
  listFeedbackConfigs,
  listRules,
  openShare,
  readRunShare,
  readDatasetShare,
};

/** The operations with the signatures that callers see. */
export type ReadOperations = OperationsOf<typeof readOperations, ReaderContext>;
