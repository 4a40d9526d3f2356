import './json-tree.css';
import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { cut } from './cut.ts';

/** How many entries of a list or dictionary are shown at once. */
const PAGE_SIZE = 100;
/** The maximum number of characters of a string that are shown at once. */
const MAX_STRING_LENGTH = 2_000;
/** Values down to this level are expanded at first, unless they have more than `MAX_OPEN_ENTRIES` entries. */
const OPEN_LEVELS = 2;
const MAX_OPEN_ENTRIES = 30;

interface JsonTreeProps {
  readonly value: unknown;
}

/** Expandable JSON; collapsed values are not in the document. */
export function JsonTree({ value }: JsonTreeProps) {
  if (typeof value !== 'object' || value === null) {
    return (
      <div class="tree-json">
        <Scalar value={value} />
      </div>
    );
  }
  return (
    <div class="tree-json">
      <Entries value={value} level={0} />
    </div>
  );
}

/** The entries of a list or dictionary. @param level the depth of the value: 0 for the outermost */
function Entries({ value, level }: { readonly value: object; readonly level: number }) {
  const [shown, setShown] = useState(PAGE_SIZE);
  const entries = Object.entries(value);
  if (entries.length === 0) return <span class="muted">{summary(value)}</span>;
  return (
    <ul>
      {entries.slice(0, shown).map(([key, item]) => (
        <li key={key}>
          <Entry name={key} value={item} level={level + 1} />
        </li>
      ))}
      {entries.length > shown && (
        <li>
          <button type="button" class="link" onClick={() => setShown(shown + PAGE_SIZE)}>
            {l10n.t('{0} more…', (entries.length - shown).toLocaleString())}
          </button>
        </li>
      )}
    </ul>
  );
}

interface EntryProps {
  readonly name: string;
  readonly value: unknown;
  readonly level: number;
}

function Entry({ name, value, level }: EntryProps) {
  const size = typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
  const [isOpen, setOpen] = useState(level <= OPEN_LEVELS && size <= MAX_OPEN_ENTRIES);
  if (size === 0) {
    return (
      <span class="leaf">
        <span class="key">{name}:</span> <Scalar value={value} />
      </span>
    );
  }
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="key">{name}:</span> <span class="muted">{summary(value)}</span>
      </summary>
      {isOpen && typeof value === 'object' && value !== null && <Entries value={value} level={level} />}
    </details>
  );
}

function Scalar({ value }: { readonly value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== 'string') {
    if (typeof value === 'object' && value !== null) return <span class="muted">{summary(value)}</span>;
    return <span class={value === null ? 'null' : typeof value}>{String(value)}</span>;
  }
  const isCut = value.length > MAX_STRING_LENGTH && !isWhole;
  return (
    <span class="string">
      {isCut ? cut(value, MAX_STRING_LENGTH) : value || '""'}
      {isCut && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          {l10n.t('Show All {0} Characters', value.length.toLocaleString())}
        </button>
      )}
    </span>
  );
}

function summary(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}]`;
  const count = typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
  return `{${count}}`;
}
