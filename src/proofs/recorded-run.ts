import { type ErrorPlace, errorPlace } from '../client/error-frames.ts';
import { type FailedSpan, failedSpan } from '../client/failed-span.ts';
import { type OpenLines, type RunFileOutline, readOutline } from '../run-files/run-file-outline.ts';

/** The run in a run file. */
export interface RecordedRun {
  readonly open: OpenLines;
  readonly outline: RunFileOutline;
  /** Where the run failed, according to its spans. */
  readonly place: ErrorPlace | undefined;
}

/** Reads the run from its file, without the responses of models and tools. @throws RunFileError */
export async function readRecordedRun(open: OpenLines): Promise<RecordedRun> {
  const failed: FailedSpan[] = [];
  const outline = await readOutline(open, ({ id, parent_run_id, error }) => {
    if (typeof error === 'string' && error !== '') failed.push({ id, parent_run_id, error });
  });
  const span = failedSpan(failed);
  return { open, outline, place: span && errorPlace(span.error) };
}
