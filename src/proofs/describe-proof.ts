import type { ErrorPlace } from '../client/error-frames.ts';
import { describeDivergence } from '../replay/divergence-text.ts';
import { describeEnds, errorText } from '../run-files/describe-ends.ts';
import type { Proof } from './prove.ts';
import { isFailure } from './verdict.ts';

/**
 * Describes a proof in sentences: the verdict, followed by its evidence.
 * @param placeText describes a place in a file, such as "at agent.py:12"
 */
export function describeProof(proof: Proof, placeText: (place: ErrorPlace) => string): string {
  return [headOf(proof), ...evidenceOf(proof, placeText)].join('\n');
}

function headOf({ verdict, outcome, scores }: Proof): string {
  const advice = scores.now.length === 0 ? ' Name evaluators that check the result.' : '';
  const noun = outcome.answered === 1 ? 'request' : 'requests';
  const sent = outcome.live === 0 ? '' : `, ${outcome.live} sent`;
  const requests = `${outcome.answered} ${noun} answered from the file${sent}`;
  switch (verdict) {
    case 'fixed':
      return `Fixed: the run ends without the failure (${requests}).`;
    case 'past_failure':
      return `The failure is gone: the run gets past the point of failure, and then sends a request that was not recorded (${requests}). To see how it ends, allow new requests.`;
    case 'still_failing':
      return `Still failing, in the same way (${requests}).`;
    case 'another_failure':
      return `Another failure (${requests}).`;
    case 'unchanged':
      return `Unchanged: the recorded run did not fail, and this one ends the same way (${requests}).${advice}`;
    case 'changed':
      return `Changed: the recorded run did not fail, and this one ends differently (${requests}).${advice}`;
    case 'new_request':
      return isFailure(outcome.ends?.recorded?.status)
        ? `Not proved: the run sent a request that was not recorded (${requests}). Allow new requests, or record the run again.`
        : `Not proved: the run sends other requests to its models or tools than the recorded run, which did not fail (${requests}). Allow new requests, and name an evaluator that checks the result.`;
  }
}

function evidenceOf(proof: Proof, placeText: (place: ErrorPlace) => string): string[] {
  return [...outcomeLines(proof), ...placeLines(proof, placeText), ...scoreLines(proof)];
}

/** How the replay left the recording, or ended. */
function outcomeLines({ verdict, outcome }: Proof): string[] {
  const lines: string[] = [];
  if (outcome.kind === 'diverged') lines.push(describeDivergence(outcome.divergence));
  const { ends } = outcome;
  if (outcome.kind === 'ended' && ends !== undefined) lines.push(describeEnds(ends));
  if (verdict === 'still_failing' && ends?.now.error !== undefined) lines.push(errorText(ends.now));
  return lines;
}

/** Where the replay fails, and where the recorded run failed if that was another place. */
function placeLines({ outcome, places }: Proof, placeText: (place: ErrorPlace) => string): string[] {
  const lines: string[] = [];
  const { now } = places;
  // A run that paused has a span with an error, too.
  const recorded = isFailure(outcome.ends?.recorded?.status) ? places.recorded : undefined;
  if (now !== undefined) lines.push(`It fails ${placeText(now)}.`);
  const isSamePlace = now?.file === recorded?.file && now?.line === recorded?.line;
  if (recorded !== undefined && !isSamePlace) lines.push(`The recorded run failed ${placeText(recorded)}.`);
  return lines;
}

function scoreLines({ scores }: Proof): string[] {
  const before = new Map(scores.recorded.map((score) => [score.key, score]));
  return scores.now.map(({ key, score, error, comment }) => {
    const was = before.get(key);
    const result = error ?? `${String(score)}${comment ? ` (${comment})` : ''}`;
    return `${key}: ${result}${was === undefined ? '' : `, recorded: ${was.error ?? String(was.score)}`}`;
  });
}
