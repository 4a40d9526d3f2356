import { sentenceOf } from '../../dialogs/errors.ts';
import { parsePairs } from '../../wording/metadata-pairs.ts';

/** The reason why a text is not a list of pairs, as a sentence; undefined if it is one. */
export function pairsProblem(text: string): string | undefined {
  try {
    parsePairs(text);
    return undefined;
  } catch (error) {
    return sentenceOf(error);
  }
}
