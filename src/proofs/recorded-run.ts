import { type ErrorPlace, errorPlace } from '../client/error-frames.ts';
import { type OpenLines, type RunFileOutline, readOutline } from '../run-files/run-file-outline.ts';

/** The run in a run file. */
export interface RecordedRun {
  readonly open: OpenLines;
  readonly outline: RunFileOutline;
  /** Where the run failed, according to its spans: the deepest of those that failed first. */
  readonly place: ErrorPlace | undefined;
}

/** Reads the run from its file, without the responses of models and tools. @throws RunFileError */
export async function readRecordedRun(open: OpenLines): Promise<RecordedRun> {
  const failed: { readonly id: unknown; readonly parent: unknown; readonly error: string }[] = [];
  const outline = await readOutline(open, ({ id, parent_run_id: parent, error }) => {
    if (typeof error === 'string' && error !== '') failed.push({ id, parent, error });
  });
  const deepest = failed.find(({ id }) => !failed.some(({ parent }) => parent === id));
  return { open, outline, place: deepest === undefined ? undefined : errorPlace(deepest.error) };
}
