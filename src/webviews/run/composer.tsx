import * as l10n from '@vscode/l10n';
import { useId, useState } from 'preact/hooks';
import type { PanelProps } from './app.tsx';
import { parseJson } from './json-input.ts';

/** Where the next run's input is typed: a message, or JSON. */
export function Composer({ store, view }: PanelProps) {
  const { session, transcript, saved } = view;
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isStarting, setStarting] = useState(false);
  const id = useId();
  if (session === undefined) return null;

  const mode = saved.mode ?? session.input;
  const busy = transcript.status === 'running' || isStarting;
  const draft = saved.draft === '' && mode === 'json' ? session.template : saved.draft;

  const start = async (): Promise<void> => {
    if (busy) return;
    const read = readInput(mode, draft);
    if ('problem' in read) {
      setProblem(read.problem);
      return;
    }
    setStarting(true);
    const started = await store.did('start', { input: read.value });
    setStarting(false);
    // JSON is often sent again with a small change.
    if (started && mode === 'chat') store.save({ draft: '' });
  };

  return (
    <form
      class="composer"
      aria-label={l10n.t('Input')}
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <div class={problem === undefined ? 'box' : 'box bad'}>
        <label class="for-screen-readers" for={id}>
          {mode === 'chat' ? l10n.t('Message') : l10n.t('Input as JSON')}
        </label>
        <textarea
          id={id}
          class={mode === 'json' ? 'code' : ''}
          rows={mode === 'json' ? 4 : 1}
          value={draft}
          placeholder={mode === 'chat' ? l10n.t('Message {0}', session.assistant) : '{}'}
          spellcheck={mode === 'chat'}
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-hint`}
          onInput={(event) => {
            store.save({ draft: event.currentTarget.value });
            setProblem(undefined);
          }}
          onKeyDown={(event) => {
            // In JSON, Enter is a new line; an input method's Enter chooses a word.
            const sends = mode === 'chat' ? !event.shiftKey : event.ctrlKey || event.metaKey;
            if (event.key !== 'Enter' || !sends || event.isComposing) return;
            event.preventDefault();
            void start();
          }}
        />
        {busy ? (
          <vscode-toolbar-button
            icon="debug-stop"
            label={l10n.t('Cancel run')}
            title={l10n.t('Cancel run')}
            onClick={() => void store.ask('cancel', {})}
          />
        ) : (
          <vscode-toolbar-button
            icon={mode === 'chat' ? 'send' : 'play'}
            label={mode === 'chat' ? l10n.t('Send') : l10n.t('Run')}
            title={mode === 'chat' ? l10n.t('Send (Enter)') : l10n.t('Run (Ctrl+Enter)')}
            onClick={() => void start()}
          />
        )}
      </div>
      <div class="below">
        <p
          class={problem === undefined ? 'muted' : 'invalid'}
          id={`${id}-hint`}
          role={problem === undefined ? undefined : 'alert'}
        >
          {problem ??
            (mode === 'chat'
              ? l10n.t('Enter sends, Shift+Enter begins a new line')
              : l10n.t('Ctrl+Enter runs'))}
        </p>
        {session.input === 'chat' && (
          <button
            type="button"
            class="link"
            onClick={() => {
              setProblem(undefined);
              store.save({ mode: mode === 'chat' ? 'json' : 'chat', draft: '' });
            }}
          >
            {mode === 'chat' ? l10n.t('Give JSON instead') : l10n.t('Write a message instead')}
          </button>
        )}
      </div>
    </form>
  );
}

function readInput(mode: 'chat' | 'json', draft: string): { value: unknown } | { problem: string } {
  if (mode === 'json') return parseJson(draft);
  if (draft.trim() === '') return { problem: l10n.t('Type a message first.') };
  return { value: { messages: [{ type: 'human', content: draft.trim() }] } };
}
