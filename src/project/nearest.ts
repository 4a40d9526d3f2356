import { distance } from 'fastest-levenshtein';

/** The candidates that are most similar to a name with a typo, nearest first. */
export function nearest(written: string, candidates: Iterable<string>, maxCount = 3): string[] {
  const plain = written.toLowerCase();
  const limit = Math.max(2, Math.floor(written.length / 3));
  return [...candidates]
    .map((candidate) => ({ candidate, far: distance(plain, candidate.toLowerCase()) }))
    .filter(({ far }) => far <= limit)
    .toSorted((a, b) => a.far - b.far)
    .slice(0, maxCount)
    .map(({ candidate }) => candidate);
}
