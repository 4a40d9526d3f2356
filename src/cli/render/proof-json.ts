import type { Proof } from '../../proofs/prove.ts';

/** A proof as JSON, in snake case like the other JSON that commands print. */
export function proofJson({ verdict, isProved, outcome, graphId, places, scores }: Proof): object {
  const { threadId, runId, isNew, ...rest } = outcome;
  return {
    verdict,
    proved: isProved,
    graph_id: graphId,
    places,
    scores,
    replay: { ...rest, thread_id: threadId, run_id: runId, is_new: isNew },
  };
}
