import './stopped.css';
import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { Icon } from '../../shared/icon.tsx';
import type { StopReason } from '../transcript-model.ts';
import type { FolderRowProps } from './row-props.ts';

/** Says before which nodes a thread has stopped, with buttons to continue. */
export function Stopped({ row, store, isLive }: FolderRowProps<'stopped'>) {
  const [sent, setSent] = useState(false);
  const { reason, isOpen } = row;
  const nodes = row.next.join(', ');
  const proceed = async (how: 'proceed' | 'stepInto' = 'proceed'): Promise<void> => {
    setSent(true);
    setSent(await store.run(how));
  };
  if (!isOpen) {
    return (
      <p class="muted passed">
        <Icon name="debug-continue" /> {l10n.t('Continued from “{0}”', nodes)}
      </p>
    );
  }
  return (
    <article class={reason === 'breakpoint' ? 'card waiting' : 'card'} aria-label={l10n.t('Stopped')}>
      <p class="title">
        <Icon name={reason === 'breakpoint' ? 'debug-pause' : 'debug-continue'} /> {sentence(reason, nodes)}
      </p>
      <div class="buttons">
        <vscode-button disabled={sent} onClick={() => void proceed()}>
          {reason === 'failed' ? l10n.t('Try Again from Here') : l10n.t('Continue')}
        </vscode-button>
        {isLive && (
          <vscode-button secondary disabled={sent} onClick={() => void proceed('stepInto')}>
            {l10n.t('Step Into Next Node')}
          </vscode-button>
        )}
        <vscode-button secondary disabled={sent} onClick={() => store.editState()}>
          {l10n.t('Edit State…')}
        </vscode-button>
      </div>
    </article>
  );
}

function sentence(reason: StopReason, nodes: string): string {
  switch (reason) {
    case 'breakpoint':
      return l10n.t('Paused before “{0}”', nodes);
    case 'failed':
      return l10n.t('Failed in “{0}”', nodes);
    case 'cancelled':
      return l10n.t('Canceled while running “{0}”', nodes);
    case 'checkpoint':
      return l10n.t('Next: {0}', nodes);
  }
}
