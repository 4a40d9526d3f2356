import { nearest } from '../../project/nearest.ts';

/** A sentence that suggests the name that is nearest to an unknown one, or lists all names if none is near. */
export function suggestionFor(unknown: string, known: readonly string[]): string {
  const [meant] = nearest(unknown, known);
  return meant === undefined ? `It has ${known.join(', ')}.` : `Did you mean '${meant}'?`;
}
