import './modes.css';
import * as l10n from '@vscode/l10n';
import type { Mode } from './input.ts';

/** Buttons that show and change the mode of the input. */
export function Modes({
  modes,
  mode,
  onChange,
}: {
  readonly modes: readonly Mode[];
  readonly mode: Mode;
  readonly onChange: (mode: Mode) => void;
}) {
  if (modes.length < 2) return null;
  const names = { chat: l10n.t('Chat'), form: l10n.t('Form'), json: l10n.t('JSON') };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form
    <div class="modes" role="group" aria-label={l10n.t('Input mode')}>
      {modes.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === mode}
          onClick={() => one !== mode && onChange(one)}
        >
          {names[one]}
        </button>
      ))}
    </div>
  );
}
