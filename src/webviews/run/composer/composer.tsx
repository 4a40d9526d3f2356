import './composer.css';
import * as l10n from '@vscode/l10n';
import { useMemo, useRef, useState } from 'preact/hooks';
import { draftOf, keptDraft, type Problems } from '../../shared/form/draft.ts';
import { formOf } from '../../shared/form/field.ts';
import { SUBMIT_KEYS } from '../../shared/submit-keys.ts';
import type { PanelProps } from '../panel-props.ts';
import type { Transcript } from '../transcript-model.ts';
import { attachFiles } from './attach-files.ts';
import { AttachButton, AttachedFiles } from './attached-files.tsx';
import { useFirstFocus } from './first-focus.ts';
import { ForkNote } from './fork-note.tsx';
import { carriedOver, firstMode, type Mode, modesOf, readInput, type Typed } from './input.ts';
import { InputField } from './input-field.tsx';
import { Modes } from './modes.tsx';
import { OptionsPanel } from './options.tsx';
import { OptionsToggle } from './options-toggle.tsx';
import { RunButton } from './run-button.tsx';

interface Problem {
  readonly problem: string;
  /** Problems of the form's fields. */
  readonly fields?: Problems;
}

const none: Problems = {};

/** Where the next run's input is given: as a message, in a form, or as JSON. */
export function Composer({ store, view }: PanelProps) {
  const { session, transcript, saved } = view;
  const [wrong, setWrong] = useState<Problem | undefined>(undefined);
  const [isStarting, setStarting] = useState(false);
  // A submitted form collapses to make room for the output.
  const [isFolded, setFolded] = useState(transcript.rows.length > 0);
  const form = useMemo(() => formOf(session?.schema), [session?.schema]);
  const box = useRef<HTMLDivElement>(null);
  useFirstFocus(box, session !== undefined);
  if (session === undefined) return null;

  const modes = modesOf(session, form);
  const mode =
    saved.mode !== undefined && modes.includes(saved.mode) ? saved.mode : firstMode(session, form, saved);
  const busy = transcript.status === 'running' || isStarting;
  const text = saved.draft === '' && mode === 'json' ? session.template : saved.draft;
  const draft = form && (saved.form === undefined ? draftOf(form) : keptDraft(saved.form));
  const typed: Typed = { mode, text, files: view.attached, form, draft };

  const start = async (): Promise<void> => {
    if (busy) return;
    const input = readInput(typed);
    if ('problem' in input) {
      setWrong(input);
      if (input.fields !== undefined) setFolded(false);
      return;
    }
    setStarting(true);
    const started = await store.run({ input: input.value });
    setStarting(false);
    setFolded(started);
    // A form and JSON are often sent again with a small change.
    if (started && mode === 'chat') {
      store.save({ draft: '' });
      store.detach('all');
    }
  };
  const submit = () => void start();

  const change = (saving: Parameters<typeof store.save>[0]): void => {
    store.save(saving);
    setWrong(undefined);
  };

  const switchTo = (next: Mode): void => {
    setFolded(false);
    change({ mode: next, ...carriedOver(typed, next) });
  };

  const runButton = <RunButton busy={busy} mode={mode} store={store} onStart={submit} />;
  return (
    <form
      class={`composer ${mode}${saved.shows_options ? ' with-options' : ''}`}
      aria-label={l10n.t('Input')}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onKeyDown={(event) => {
        // An open list above it, such as that of a select, takes the key first.
        if (event.key !== 'Escape' || event.defaultPrevented || !saved.shows_options) return;
        store.save({ shows_options: false });
      }}
    >
      {saved.shows_options && <OptionsPanel store={store} view={view} session={session} />}
      {transcript.checkpointId !== undefined && <ForkNote store={store} />}
      {mode === 'chat' && <AttachedFiles store={store} view={view} />}
      <div ref={box} class={wrong === undefined ? 'box' : 'box bad'}>
        <InputField
          typed={typed}
          assistant={session.assistant}
          isInvalid={wrong !== undefined}
          problems={wrong?.fields ?? none}
          isFolded={isFolded}
          onUnfold={() => setFolded(false)}
          onText={(draft) => change({ draft })}
          onForm={(form) => change({ form })}
          onSubmit={submit}
          last={lastMessage(transcript)}
          onFiles={(files) => void attachFiles(store, files)}
        />
        {mode === 'chat' && <AttachButton store={store} />}
        {mode !== 'form' && runButton}
      </div>
      <div class="below">
        <Modes modes={modes} mode={mode} onChange={switchTo} />
        <OptionsToggle store={store} view={view} />
        <span class="grow" />
        <Hint mode={mode} problem={wrong?.problem} />
        {mode === 'form' && runButton}
      </div>
    </form>
  );
}

function lastMessage({ rows }: Transcript): string | undefined {
  const row = rows.findLast(({ kind }) => kind === 'human');
  return row?.kind === 'human' ? row.text : undefined;
}

function Hint({ mode, problem }: { readonly mode: Mode; readonly problem: string | undefined }) {
  if (problem !== undefined) {
    return (
      <p class="invalid" role="alert">
        {problem}
      </p>
    );
  }
  const keys =
    mode === 'chat' ? l10n.t('Enter to send, Shift+Enter for a new line') : l10n.t('{0} to run', SUBMIT_KEYS);
  return <p class="muted hint">{keys}</p>;
}
