import type { CommitQueue } from '../../src/server/agent-server/data/commit-queue.ts';
import { LiveRun, type RunIdentity } from '../../src/server/agent-server/runs/live-run.ts';
import { RunStream } from '../../src/server/agent-server/runs/run-stream.ts';
import type { StateDatabase } from '../../src/server/storage/state-database.ts';

/** A run that has been accepted, with a graph that nothing executes. */
export function liveRun(
  { db, queue }: { readonly db: StateDatabase; readonly queue: CommitQueue },
  identity: Partial<RunIdentity> & Pick<RunIdentity, 'threadId'>,
): LiveRun {
  const runId = crypto.randomUUID();
  return new LiveRun(
    { ...PLAIN, runId, ...identity },
    new RunStream({ run_id: runId, thread_id: identity.threadId }, { db, queue }),
  );
}

const PLAIN: Omit<RunIdentity, 'runId' | 'threadId'> = {
  assistantId: 'a',
  graphId: 'g',
  metadata: {},
  kwargs: {
    input: null,
    command: null,
    config: {},
    context: {},
    checkpoint: null,
    stream_mode: ['values'],
    stream_subgraphs: false,
    stream_resumable: false,
    durability: 'async',
  },
  multitaskStrategy: 'enqueue',
  stateless: false,
  startAfter: 0,
};
