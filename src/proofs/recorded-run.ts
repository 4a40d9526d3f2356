import { type ErrorPlace, errorPlace } from '../client/error-text.ts';
import { type OpenLines, type RunFileOutline, readOutline } from '../run-files/run-file-outline.ts';

/** The run in a file, to be proved again. */
export interface RecordedRun {
  readonly open: OpenLines;
  readonly outline: RunFileOutline;
  /** Where it failed, by its spans: the deepest that failed first. */
  readonly place: ErrorPlace | undefined;
}

/** Reads the file once, without the answers of its models and tools. @throws RunFileError */
export async function readRecordedRun(open: OpenLines): Promise<RecordedRun> {
  const failed: { readonly id: unknown; readonly parent: unknown; readonly error: string }[] = [];
  const outline = await readOutline(open, ({ id, parent_run_id: parent, error }) => {
    if (typeof error === 'string' && error !== '') failed.push({ id, parent, error });
  });
  const deepest = failed.find(({ id }) => !failed.some(({ parent }) => parent === id));
  return { open, outline, place: deepest === undefined ? undefined : errorPlace(deepest.error) };
}
