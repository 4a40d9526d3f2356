import { distance } from 'fastest-levenshtein';

/** The maximum number of candidates that are suggested. */
const MAX_SUGGESTED = 3;

/** The candidates that are most similar to a name with a typo, nearest first; at most `MAX_SUGGESTED`. */
export function nearest(written: string, candidates: Iterable<string>): string[] {
  const plain = written.toLowerCase();
  const limit = Math.max(2, Math.floor(written.length / 3));
  return [...candidates]
    .map((candidate) => ({ candidate, far: distance(plain, candidate.toLowerCase()) }))
    .filter(({ far }) => far <= limit)
    .toSorted((a, b) => a.far - b.far)
    .slice(0, MAX_SUGGESTED)
    .map(({ candidate }) => candidate);
}
