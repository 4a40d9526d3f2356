import { sourceLanguage } from '../../../project/reference.ts';

export type Language = 'node' | 'python';

/** The language of a `file:export`. */
export function languageOf(place: string): Language {
  const file = place.slice(0, place.lastIndexOf(':'));
  return sourceLanguage(file) === 'javascript' ? 'node' : 'python';
}
