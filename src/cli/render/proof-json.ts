import type { Proof } from '../../proofs/prove.ts';
import { outcomeJson } from './outcome-json.ts';

/** A proof as JSON, in snake case like the other JSON that commands print. */
export function proofJson({ verdict, isProved, outcome, graphId, places, scores }: Proof): object {
  return {
    verdict,
    proved: isProved,
    graph_id: graphId,
    places,
    scores,
    replay: outcomeJson(outcome),
  };
}
