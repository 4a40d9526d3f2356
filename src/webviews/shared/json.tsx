import './json.css';
import * as l10n from '@vscode/l10n';
import { CopyButton } from './copy-button.tsx';
import { cut } from './cut.ts';
import { JsonTree } from './json-tree.tsx';
import { toText } from './to-text.ts';

/** Longer text can be opened as a document; a long string is cut. */
const MAX_LENGTH = 6_000;
/** The maximum number of characters of a value on one line. */
const MAX_PREVIEW = 160;

interface JsonProps {
  readonly value: unknown;
  readonly onOpen?: (() => void) | undefined;
}

/** A value as expandable JSON; a string unchanged, cut when it is long. */
export function Json({ value, onOpen }: JsonProps) {
  const text = toText(value, 2);
  const isLong = text.length > MAX_LENGTH;
  return (
    <div class="json copyable">
      <CopyButton kind="json" text={() => text} />
      {typeof value === 'object' && value !== null ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls long text
        <div class="json-scroll" tabIndex={0}>
          <JsonTree value={value} />
        </div>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls long text
        <pre tabIndex={0}>{cut(text, MAX_LENGTH)}</pre>
      )}
      {isLong && onOpen !== undefined && (
        <button type="button" class="link" onClick={onOpen}>
          {l10n.t('Open Full Value')}
        </button>
      )}
    </div>
  );
}

/** A value on one line, as JSON unless it is a string; cut when it is long, and empty for `undefined`. */
export function preview(value: unknown): string {
  // Only the start of a huge text is searched for white space.
  return cut(
    cut(value === undefined ? '' : toText(value), MAX_PREVIEW * 4).replace(/\s+/g, ' '),
    MAX_PREVIEW,
  );
}
