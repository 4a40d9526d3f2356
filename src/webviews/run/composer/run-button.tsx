import * as l10n from '@vscode/l10n';
import { Action } from '../../shared/action.tsx';
import { SUBMIT_KEYS } from '../../shared/submit-keys.ts';
import type { PanelProps } from '../panel-props.ts';
import type { Mode } from './input.ts';

interface RunButtonProps extends Pick<PanelProps, 'store'> {
  readonly isRunning: boolean;
  readonly mode: Mode;
  readonly onStart: () => void;
}

/**
 * The button that starts a run. While a run is in progress, it sends the input, and another button cancels
 * the run.
 */
export function RunButton({ isRunning, mode, store, onStart }: RunButtonProps) {
  return (
    <>
      <StartButton isRunning={isRunning} mode={mode} onStart={onStart} />
      {isRunning && (
        <Action icon="debug-stop" label={l10n.t('Cancel Run')} onClick={() => store.ask('cancel', {})} />
      )}
    </>
  );
}

function StartButton({ isRunning, mode, onStart }: Omit<RunButtonProps, 'store'>) {
  if (mode === 'form') {
    return (
      <vscode-button
        type="button"
        secondary={isRunning}
        title={l10n.t('Run ({0})', SUBMIT_KEYS)}
        onClick={onStart}
      >
        {l10n.t('Run')}
      </vscode-button>
    );
  }
  const label = mode === 'chat' ? l10n.t('Send') : l10n.t('Run');
  const title = mode === 'chat' ? l10n.t('Send (Enter)') : l10n.t('Run ({0})', SUBMIT_KEYS);
  return (
    <vscode-toolbar-button
      icon={mode === 'chat' ? 'send' : 'play'}
      label={label}
      title={title}
      onClick={onStart}
    />
  );
}
