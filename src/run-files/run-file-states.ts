import { RunFileError } from '../replay/read-run-file.ts';
import type { Kinds } from '../replay/run-file.ts';
import type { OpenLines, RunFileOutline } from './run-file-outline.ts';
import { isLoopWrite, nodeOf } from './superstep-order.ts';

const STATES: Kinds = new Set(['checkpoint', 'write']);

/** A state in a run file from which a replay can start. */
export interface StartState {
  readonly checkpointId: string;
  /** The run that produced the state, by its position in the file, from 0. */
  readonly run: number;
}

/** A state that a run of a file produced. */
export interface MadeState extends StartState {
  /** -1 for the input of a new thread. */
  readonly step: number;
  readonly createdAt: string;
  /** The nodes that produced the state. */
  readonly nodes: readonly string[];
  /** The nodes that ran next. */
  readonly next: readonly string[];
}

/** Reads the states that the runs of a file produced, oldest first. @throws RunFileError */
export async function readStates(
  open: OpenLines,
  { runs }: Pick<RunFileOutline, 'runs'>,
): Promise<MadeState[]> {
  const produced: (Omit<MadeState, 'nodes' | 'next'> & { readonly parent: string | null })[] = [];
  const ran = new Map<string, Set<string>>();
  for await (const line of open(STATES)) {
    if ((line.kind !== 'checkpoint' && line.kind !== 'write') || line.checkpoint_ns !== '') continue;
    const { checkpoint_id: checkpointId } = line;
    if (line.kind === 'write') {
      if (!isLoopWrite(line)) ran.set(checkpointId, (ran.get(checkpointId) ?? new Set()).add(nodeOf(line)));
      continue;
    }
    const run = runs.findIndex(({ run_id }) => run_id === line.run_id);
    const { created_at: createdAt, metadata, parent_checkpoint_id: parent } = line;
    if (run >= 0) produced.push({ checkpointId, run, step: Number(metadata.step), createdAt, parent });
  }
  const nodesAfter = (checkpointId: string | null) =>
    [...(ran.get(checkpointId ?? '') ?? [])].filter((node) => node !== '__start__').sort();
  return produced.map(({ parent, ...state }) => ({
    ...state,
    nodes: nodesAfter(parent),
    next: nodesAfter(state.checkpointId),
  }));
}

/**
 * Finds a state to start a replay from.
 * @throws RunFileError when no run of the file produced it; the message lists the states of the file
 */
export async function findStart(
  open: OpenLines,
  outline: Pick<RunFileOutline, 'runs'>,
  checkpointId: string,
): Promise<MadeState> {
  const states = await readStates(open, outline);
  const found = states.find((state) => state.checkpointId === checkpointId);
  if (found !== undefined) return found;
  const made = states.map(({ checkpointId: id, step }) => `  ${id} (step ${step})`);
  throw new RunFileError(`its runs made no state ${checkpointId}. They made:\n${made.join('\n')}`);
}
