import type { WriterContext } from '../context/writer-context.ts';
import type { OperationsOf } from '../database/operations.ts';
import { createComparison, deleteComparison } from '../datasets/comparisons.ts';
import { tagVersion } from '../datasets/dataset-versions.ts';
import { createDataset, deleteDataset, updateDataset } from '../datasets/datasets-store.ts';
import { hardDeleteExamples } from '../datasets/hard-delete.ts';
import {
  createExamples,
  softDeleteExamples,
  updateExamples,
  updateSplits,
  validateExamples,
} from '../datasets/write-examples.ts';
import {
  createFeedbackConfig,
  deleteFeedbackConfig,
  updateFeedbackConfig,
} from '../feedback/feedback-configs.ts';
import { createTokens, submitByToken } from '../feedback/tokens.ts';
import { createFeedback, deleteFeedback, updateFeedback } from '../feedback/write-feedback.ts';
import { endInterrupted } from '../ingestion/end-interrupted.ts';
import { ingestSent } from '../ingestion/ingest-request.ts';
import { priceAgain } from '../ingestion/price-again.ts';
import { ingestLogs } from '../otlp/ingest-logs.ts';
import { ingestSpans } from '../otlp/place-spans.ts';
import type { PricesOfProject } from '../prices/price-book.ts';
import { listOpenRuns } from '../query/list-open-runs.ts';
import { createRule, deleteRule, updateRule } from '../rules/run-rules.ts';
import { createSession, updateSession } from '../sessions/write-sessions.ts';
import { shareDataset, shareRun, unshareDataset, unshareRun } from '../sharing/shares.ts';

/**
 * Advances the full-text index toward the newest block, or toward the one that an earlier call returned, for a limited
 * time. @returns that block if the index has not reached it yet.
 */
function indexWords(
  { words }: WriterContext,
  { upTo = words.newest, budgetMs }: { readonly upTo: number | undefined; readonly budgetMs: number },
): number | undefined {
  const until = performance.now() + budgetMs;
  while (words.indexed < upTo) {
    const left = until - performance.now();
    if (left <= 0) return upTo;
    // The newest block may have nothing to index, and then `indexed` does not reach it.
    if (!words.advance(left)) return undefined;
  }
  return undefined;
}

/** All tracing operations that change data; each runs in its caller's transaction. */
export const writeOperations = {
  ingest: ingestSent,
  endInterrupted,
  priceAgain,
  // This only reads, but no other thread has the price lists.
  describePrices: ({ prices }: WriterContext, { workspaceId }: { readonly workspaceId: string }) =>
    prices.describe(workspaceId),
  usePrices: ({ prices }: WriterContext, { project, folder }: PricesOfProject) =>
    prices.useFolder(project, folder),
  // This is called at the start, when the reading thread is not needed yet.
  listOpenRuns,
  ingestSpans,
  ingestLogs,
  createTokens,
  submitByToken,
  createFeedback,
  updateFeedback,
  deleteFeedback,
  createSession,
  updateSession,
  indexWords,
  createDataset,
  updateDataset,
  deleteDataset,
  tagVersion,
  createExamples,
  validateExamples,
  updateExamples,
  softDeleteExamples,
  hardDeleteExamples,
  updateSplits,
  createComparison,
  deleteComparison,
  createFeedbackConfig,
  updateFeedbackConfig,
  deleteFeedbackConfig,
  createRule,
  updateRule,
  deleteRule,
  shareRun,
  unshareRun,
  shareDataset,
  unshareDataset,
};

/** The operations with the signatures that callers see. */
export type WriteOperations = OperationsOf<typeof writeOperations, WriterContext>;
