import './composer.css';
import * as l10n from '@vscode/l10n';
import { useRef } from 'preact/hooks';
import type { Problems } from '../../shared/form/read-form.ts';
import { SUBMIT_KEYS } from '../../shared/submit-keys.ts';
import type { PanelProps } from '../panel-props.ts';
import type { Transcript } from '../transcript-model.ts';
import { attachFiles } from './attach-files.ts';
import { AttachButton, AttachedFiles } from './attached-files.tsx';
import { useFirstFocus } from './first-focus.ts';
import { ForkNote } from './fork-note.tsx';
import type { Mode } from './input.ts';
import { InputField } from './input-field.tsx';
import { Modes } from './modes.tsx';
import { OptionsPanel } from './options.tsx';
import { OptionsToggle } from './options-toggle.tsx';
import { RunButton } from './run-button.tsx';
import { hintOf, type Strategy, StrategyMenu } from './strategy-menu.tsx';
import { useComposing } from './use-composing.ts';

const noProblems: Problems = {};

/** The field for the input of the next run (a message, a form, or JSON), with the options and the buttons of the run. */
export function Composer({ store, view }: PanelProps) {
  const { session, transcript, saved } = view;
  const composing = useComposing(store, view);
  const box = useRef<HTMLDivElement>(null);
  useFirstFocus(box, session !== undefined);
  if (session === undefined || composing === undefined) return null;
  const { typed, modes, isRunning, wrong, isFolded, submit, change, switchTo, unfold } = composing;
  const { mode } = typed;
  const strategy = saved.options.multitask_strategy ?? 'enqueue';

  const runButton = <RunButton isRunning={isRunning} mode={mode} store={store} onStart={submit} />;
  return (
    <form
      class={`composer ${mode}${saved.shows_options ? ' with-options' : ''}`}
      aria-label={l10n.t('Input')}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onKeyDown={(event) => {
        // An open list, such as that of a select, has already handled the key.
        if (event.key !== 'Escape' || event.defaultPrevented || !saved.shows_options) return;
        store.save({ shows_options: false });
      }}
    >
      {saved.shows_options && <OptionsPanel store={store} view={view} session={session} />}
      {transcript.checkpointId !== undefined && <ForkNote store={store} />}
      {session.is_schema_late && (
        <p class="muted" role="status">
          {l10n.t('The server has not sent the input schema yet. Until then, enter the input as JSON.')}
        </p>
      )}
      {mode === 'chat' && <AttachedFiles store={store} view={view} />}
      <div ref={box} class={wrong === undefined ? 'box' : 'box bad'}>
        <InputField
          typed={typed}
          assistant={session.assistant}
          isInvalid={wrong !== undefined}
          problems={wrong?.fields ?? noProblems}
          isFolded={isFolded}
          onUnfold={unfold}
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
        {isRunning && (
          <StrategyMenu
            strategy={strategy}
            onChange={(multitask_strategy) =>
              store.save({ options: { ...saved.options, multitask_strategy } })
            }
          />
        )}
        <span class="grow" />
        <Hint mode={mode} problem={wrong?.problem} strategy={isRunning ? strategy : undefined} />
        {mode === 'form' && runButton}
      </div>
    </form>
  );
}

function lastMessage({ rows }: Transcript): string | undefined {
  const row = rows.findLast(({ kind }) => kind === 'human');
  return row?.kind === 'human' ? row.text : undefined;
}

interface HintProps {
  readonly mode: Mode;
  readonly problem: string | undefined;
  /** How a message is sent while a run is in progress; undefined without a run. */
  readonly strategy: Strategy | undefined;
}

function Hint({ mode, problem, strategy }: HintProps) {
  if (problem !== undefined) {
    return (
      <p class="invalid" role="alert">
        {problem}
      </p>
    );
  }
  const chatKeys =
    strategy === undefined ? l10n.t('Enter to send, Shift+Enter for a new line') : hintOf(strategy);
  const keys = mode === 'chat' ? chatKeys : l10n.t('{0} to run', SUBMIT_KEYS);
  return <p class="muted hint">{keys}</p>;
}
