import './fork-note.css';
import * as l10n from '@vscode/l10n';
import { Icon } from '../../shared/icon.tsx';
import type { PanelProps } from '../panel-props.ts';

/** Says that an earlier state is shown, with a link to the newest. */
export function ForkNote({ store }: Pick<PanelProps, 'store'>) {
  return (
    <p class="fork-note" role="status">
      <Icon name="git-branch" />
      <span class="grow">
        {l10n.t('You are viewing an earlier state. Your next message creates a branch.')}
      </span>
      <button type="button" class="link" onClick={() => void store.ask('checkout', {})}>
        {l10n.t('Return to Latest')}
      </button>
    </p>
  );
}
