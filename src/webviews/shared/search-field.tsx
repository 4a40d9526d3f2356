import './search-field.css';
import { Icon } from './icon.tsx';

interface SearchFieldProps {
  readonly query: string;
  readonly placeholder: string;
  /** The name of the field for screen readers. */
  readonly label: string;
  /** The number of results in words; empty without a search. */
  readonly found: string;
  readonly onSearch: (query: string) => void;
  /** Enter goes to the next result, Shift+Enter to the previous one. */
  readonly onStep?: (step: 1 | -1) => void;
}

/** A field for searching the panel. Escape empties it. */
export function SearchField({ query, placeholder, label, found, onSearch, onStep }: SearchFieldProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: the element is too new for the oldest VS Code
    <div class="search" role="search">
      <Icon name="search" />
      <input
        type="text"
        value={query}
        placeholder={placeholder}
        aria-label={label}
        onInput={(event) => onSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onStep?.(event.shiftKey ? -1 : 1);
          else if (event.key === 'Escape') onSearch('');
        }}
      />
      <span class="muted" role="status">
        {found}
      </span>
    </div>
  );
}

/** Focuses the panel's search field when the user presses Ctrl+F. @returns whether it was that key */
export function focusSearch(event: KeyboardEvent): boolean {
  // With Caps Lock, the key is a capital letter.
  if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey)) return false;
  const field = document.querySelector<HTMLInputElement>('.search input');
  field?.focus();
  // Typing replaces the previous search.
  field?.select();
  return true;
}
