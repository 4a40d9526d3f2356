import type { ConfigDocument, ReferenceKind } from './config-document.ts';
import { referenceLanguage, type SourceLanguage } from './reference.ts';

/** The languages of a project's graphs, or of the sources that references of the given kinds name. */
export function languagesOf(
  { references }: Pick<ConfigDocument, 'references'>,
  kinds: readonly ReferenceKind[] = ['graph'],
): Set<SourceLanguage> {
  return new Set(
    references.flatMap(({ kind, node }) => {
      if (!kinds.includes(kind)) return [];
      const language = referenceLanguage(node.value);
      return language === undefined ? [] : [language];
    }),
  );
}
