import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { Markdown } from './markdown/markdown.tsx';

/** Longer text is not rendered in the panel; it can be opened as a document. */
const MAX_LENGTH = 200_000;

interface ProseProps {
  readonly text: string;
  /** How much of it is shown until the user expands it. */
  readonly maxLength: number;
  /** The level of its headings. */
  readonly headings: 2 | 4;
  /** Whether more of it will follow. */
  readonly isGrowing?: boolean;
}

/** Text as Markdown, cut when it is very long. */
export function Prose({ text, maxLength, headings, isGrowing = false }: ProseProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? MAX_LENGTH : maxLength;
  const isCut = text.length > shown;
  return (
    <>
      <Markdown
        text={isCut ? `${cut(text, shown)}…` : text}
        headings={headings}
        isGrowing={isGrowing && !isCut}
      />
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

/** A name without direction control characters, which could disguise it. */
export function plainName(name: string): string {
  return name.toWellFormed().replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** The beginning of a string, without half a character at its end. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}
