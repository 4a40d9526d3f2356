import type { ConfigDocument, ReferenceKind } from './config-document.ts';
import { isModuleName, type SourceLanguage, sourceLanguage, splitReference } from './reference.ts';

/** The languages of a project's graphs, or of the sources that references of the given kinds name. */
export function languagesOf(
  { references }: Pick<ConfigDocument, 'references'>,
  kinds: readonly ReferenceKind[] = ['graph'],
): Set<SourceLanguage> {
  return new Set(
    references.flatMap(({ kind, node }) => {
      if (!kinds.includes(kind)) return [];
      const { place } = splitReference(node.value);
      const language = isModuleName(place) ? 'python' : sourceLanguage(place);
      return language === undefined ? [] : [language];
    }),
  );
}
