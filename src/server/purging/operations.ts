import type { ReaderContext } from '../tracing/context/reader-context.ts';
import type { WriterContext } from '../tracing/context/writer-context.ts';
import type { OperationsOf } from '../tracing/database/operations.ts';
import {
  getJob,
  listJobs,
  previewPurge,
  purgeSessions,
  purgeWorkspace,
  readAudit,
  readUnfinished,
  requestPurge,
} from './purge-jobs.ts';
import { readWindow, setWindow } from './purge-window.ts';
import { readTtl, setTtl } from './ttl-settings.ts';

/** Operations of purging on the reading thread. */
export const purgingReads = {
  previewPurge,
  listJobs,
  getJob,
  readAudit,
  readUnfinished,
  readWindow,
  readTtl,
};

/** Operations of purging on the writing thread. */
export const purgingWrites = { requestPurge, purgeSessions, purgeWorkspace, setWindow, setTtl };

export type PurgingReads = OperationsOf<typeof purgingReads, ReaderContext>;
export type PurgingWrites = OperationsOf<typeof purgingWrites, WriterContext>;
