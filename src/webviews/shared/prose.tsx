import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { cut } from './cut.ts';
import { Markdown } from './markdown/markdown.tsx';
import type { HeadingLevel } from './markdown/safe-html.ts';

/** The maximum number of characters that are rendered, because more would make the panel slow. */
const MAX_LENGTH = 200_000;

interface ProseProps {
  readonly text: string;
  /** The number of characters that are shown until the user expands the text. */
  readonly maxLength: number;
  readonly headings: HeadingLevel;
  /** Whether more of the text will follow. */
  readonly isGrowing?: boolean;
}

/** Text as Markdown, cut when it is very long. */
export function Prose({ text, maxLength, headings, isGrowing = false }: ProseProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? MAX_LENGTH : maxLength;
  const isCut = text.length > shown;
  return (
    <>
      <Markdown text={cut(text, shown)} headings={headings} isGrowing={isGrowing && !isCut} />
      {isCut && !isWhole && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {text.length > MAX_LENGTH
            ? l10n.t(
                'Show First {0} of {1} Characters',
                MAX_LENGTH.toLocaleString(),
                text.length.toLocaleString(),
              )
            : l10n.t('Show All {0} Characters', text.length.toLocaleString())}
        </button>
      )}
    </>
  );
}
