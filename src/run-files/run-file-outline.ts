import { RunFileError } from '../replay/read-run-file.ts';
import type { Kinds, RunFileHead, RunFileLine, SavedEnd, SavedRun } from '../replay/run-file.ts';

/**
 * Reads the lines of a file from its beginning; may be called repeatedly.
 * @param kinds the kinds of lines to yield; all by default
 */
export type OpenLines = (kinds?: Kinds) => AsyncIterable<RunFileLine>;

const OUTLINE: Kinds = new Set(['agentrun', 'run', 'run_end']);
const OUTLINE_AND_SPANS: Kinds = new Set([...OUTLINE, 'span']);

/** The runs of a run file, without their exchanges and states. */
export interface RunFileOutline {
  readonly head: RunFileHead;
  readonly runs: readonly SavedRun[];
  /** How the runs ended, by their IDs. */
  readonly ends: ReadonlyMap<string, SavedEnd>;
}

/**
 * Reads the outline of a run file.
 * @param onSpan called with each span of its traces; without it, spans are skipped
 * @throws RunFileError
 */
export async function readOutline(
  open: OpenLines,
  onSpan?: (span: SavedSpan) => void,
): Promise<RunFileOutline> {
  let head: RunFileHead | undefined;
  const runs: SavedRun[] = [];
  const ends = new Map<string, SavedEnd>();
  for await (const line of open(onSpan === undefined ? OUTLINE : OUTLINE_AND_SPANS)) {
    if (line.kind === 'agentrun') head = line;
    else if (line.kind === 'run') runs.push(line);
    else if (line.kind === 'run_end') ends.set(line.run_id, line);
    else if (line.kind === 'span') onSpan?.(line.span);
  }
  if (head === undefined || runs.length === 0) throw new RunFileError('it has no run.');
  return { head, runs, ends };
}

/** A span of a trace in a run file. */
export type SavedSpan = Extract<RunFileLine, { readonly kind: 'span' }>['span'];
