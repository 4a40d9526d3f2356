import './options-toggle.css';
import * as l10n from '@vscode/l10n';
import { useFocusBack } from '../../shared/focus-back.ts';
import { Icon } from '../../shared/icon.tsx';
import type { PanelProps } from '../panel-props.ts';

/** A button that shows and hides the options. It also shows the number of breakpoints, and whether runs are recorded. */
export function OptionsToggle({ store, view }: PanelProps) {
  const { shows_options, options } = view.saved;
  const breakpoints = new Set([...options.interrupt_before, ...options.interrupt_after]).size;
  const toggle = useFocusBack<HTMLButtonElement>(shows_options);
  return (
    <button
      ref={toggle}
      type="button"
      class="link options-toggle"
      aria-expanded={shows_options}
      onClick={() => store.save({ shows_options: !shows_options })}
    >
      <Icon name="settings" /> {l10n.t('Options')}
      {breakpoints > 0 && (
        <span class="count">
          <Icon name="debug-breakpoint" /> {breakpoints}
        </span>
      )}
      {options.record && (
        <span class="count" title={l10n.t('Runs are recorded')}>
          <Icon name="record" />
          <span class="for-screen-readers">{l10n.t('Runs are recorded')}</span>
        </span>
      )}
    </button>
  );
}
