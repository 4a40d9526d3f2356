import { asSentence } from '../process/as-sentence.ts';
import type { Ends, RunEnd } from './replay-outcome.ts';

/** Describes how a run ended differently than recorded; the recorded end must be known. If the statuses are equal, both runs failed. */
export function describeEnds({ recorded, now }: Ends): string {
  if (recorded?.status === now.status) {
    return `The run failed with another error: ${errorText(now)} The recorded one: ${errorText(recorded)}`;
  }
  const why = now.error === undefined ? '' : ` ${errorText(now)}`;
  return `The run ended as ${now.status}, and the recorded one as ${recorded?.status}.${why}`;
}

/** The error of a run as a sentence: `KeyError: 'city'.` */
export function errorText({ error }: RunEnd): string {
  if (error === undefined) return 'unknown error.';
  return asSentence(`${error.error}: ${error.message}`);
}
