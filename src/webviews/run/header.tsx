import './header.css';
import * as l10n from '@vscode/l10n';
import { Action } from '../shared/action.tsx';
import { Icon } from '../shared/icon.tsx';
import type { PanelProps } from './panel-props.ts';
import { pausedBefore } from './paused-before.ts';
import { nodesPausedBefore, type Transcript } from './transcript-model.ts';

/** The heading of the panel: the assistant, where it runs, the status of the thread, and the toolbar. */
export function Header({ store, view }: PanelProps) {
  const { session, transcript, saved } = view;
  const { threadId, runId } = transcript;
  const isRunning = transcript.status === 'running';
  return (
    <header>
      <h1 title={session && l10n.t('Graph {0} of {1}', session.graph_id, session.deployment)}>
        {session?.assistant ?? '…'}
      </h1>
      {session !== undefined && (
        <span class={session.is_production ? 'place production' : 'place'} title={session.place}>
          {session.place}
          {session.is_production && ` · ${l10n.t('Production')}`}
        </span>
      )}
      <Status transcript={transcript} />
      <span class="grow" />
      <div class="toolbar" role="toolbar" aria-label={l10n.t('Run panel')}>
        <Toggle
          icon="list-tree"
          label={l10n.t('Show Steps and Events')}
          checked={saved.steps}
          onToggle={() => store.save({ steps: !saved.steps })}
        />
        <Toggle
          icon="type-hierarchy-sub"
          label={l10n.t('Show Graph')}
          checked={saved.side === 'graph'}
          onToggle={() => store.save({ side: saved.side === 'graph' ? 'none' : 'graph' })}
        />
        <Toggle
          icon="history"
          label={l10n.t('Show Thread History')}
          checked={saved.side === 'history'}
          onToggle={() => store.save({ side: saved.side === 'history' ? 'none' : 'history' })}
        />
        {runId !== undefined && (
          <Action
            icon="pulse"
            label={l10n.t('Show Trace')}
            onClick={() => store.ask('showTrace', { run_id: runId })}
          />
        )}
        {threadId !== undefined && (
          <>
            <Action icon="json" label={l10n.t('Open State')} onClick={() => store.ask('openState', {})} />
            {!isRunning && (
              <Action icon="edit" label={l10n.t('Edit State')} onClick={() => store.editState()} />
            )}
            {!isRunning && (
              <Action icon="add" label={l10n.t('New Thread')} onClick={() => store.ask('newThread', {})} />
            )}
          </>
        )}
      </div>
    </header>
  );
}

interface ToggleProps {
  readonly icon: string;
  readonly label: string;
  readonly checked: boolean;
  readonly onToggle: () => void;
}

function Toggle({ icon, label, checked, onToggle }: ToggleProps) {
  return (
    <vscode-toolbar-button
      icon={icon}
      label={label}
      title={label}
      toggleable
      checked={checked}
      onClick={onToggle}
    />
  );
}

function Status({ transcript }: { readonly transcript: Transcript }) {
  switch (transcript.status) {
    case 'running':
      if (transcript.paused !== undefined)
        return (
          <span class="status waiting">
            <Icon name="debug-pause" /> {l10n.t('Paused')}
          </span>
        );
      return (
        <span class="status running">
          <Icon name="loading" spin /> {l10n.t('Running')}
        </span>
      );
    case 'interrupted':
      return (
        <span class="status waiting">
          <Icon name="debug-pause" /> {l10n.t('Waiting for input')}
        </span>
      );
    case 'paused':
      return (
        <span class="status waiting">
          <Icon name="debug-pause" /> {pausedBefore(nodesPausedBefore(transcript))}
        </span>
      );
    case 'error':
      return (
        <span class="status failed">
          <Icon name="error" /> {l10n.t('Failed')}
        </span>
      );
    case 'idle':
      return null;
  }
}
