import * as l10n from '@vscode/l10n';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { RunPanelState, Session } from '../../../extension/panels/run/messages.ts';
import { Action } from '../../shared/action.tsx';
import { type Draft, draftOf, keptDraft, type Problems, readForm } from '../../shared/form/draft.ts';
import { type Form, formOf } from '../../shared/form/field.ts';
import { SchemaForm } from '../../shared/form/form.tsx';
import { Icon } from '../../shared/icon.tsx';
import { JsonEditor } from '../../shared/json-editor.tsx';
import { parseJson } from '../../shared/json-input.ts';
import type { PanelProps } from '../app.tsx';
import { useFirstFocus } from './first-focus.ts';
import { MessageField } from './message-field.tsx';
import { OptionsPanel } from './options.tsx';

type Mode = 'chat' | 'form' | 'json';

/** Where the next run's input is given: as a message, in a form, or as JSON. */
export function Composer({ store, view }: PanelProps) {
  const { session, transcript, saved } = view;
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [fieldProblems, setFieldProblems] = useState<Problems>({});
  const [isStarting, setStarting] = useState(false);
  // A form that has been sent makes room for what comes of it.
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

  const read = (): { value: unknown } | { problem: string } => {
    if (mode === 'json') return parseJson(text);
    if (mode === 'form' && form !== undefined) {
      const filled = readForm(form, draft);
      if ('value' in filled) return filled;
      setFieldProblems(filled.problems);
      setFolded(false);
      const count = Object.keys(filled.problems).length;
      const places = l10n.t('{0} fields need another look.', count);
      return { problem: count === 1 ? l10n.t('A field needs another look.') : places };
    }
    if (text.trim() === '') return { problem: l10n.t('Type a message first.') };
    return { value: { messages: [{ type: 'human', content: text.trim() }] } };
  };

  const start = async (): Promise<void> => {
    if (busy) return;
    const input = read();
    if ('problem' in input) {
      setProblem(input.problem);
      return;
    }
    setStarting(true);
    const started = await store.run({ input: input.value });
    setStarting(false);
    setFolded(started);
    // A form and JSON are often sent again with a small change.
    if (started && mode === 'chat') store.save({ draft: '' });
  };

  const switchTo = (next: Mode): void => {
    setProblem(undefined);
    setFieldProblems({});
    setFolded(false);
    store.save({ mode: next, ...carriedOver(mode, next, text, form, draft) });
  };

  return (
    <form
      class={`composer ${mode}${saved.shows_options ? ' with-options' : ''}`}
      aria-label={l10n.t('Input')}
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      {saved.shows_options && <OptionsPanel store={store} view={view} session={session} />}
      {transcript.checkpointId !== undefined && <ForkNote store={store} />}
      <div ref={box} class={problem === undefined ? 'box' : 'box bad'}>
        {mode === 'chat' && (
          <MessageField
            placeholder={l10n.t('Message {0}', session.assistant)}
            value={text}
            isInvalid={problem !== undefined}
            onInput={(value) => {
              store.save({ draft: value });
              setProblem(undefined);
            }}
            onSubmit={() => void start()}
          />
        )}
        {mode === 'json' && (
          <JsonEditor
            label={l10n.t('Input as JSON')}
            isLabelHidden
            value={text}
            onInput={(value) => {
              store.save({ draft: value });
              setProblem(undefined);
            }}
            onSubmit={() => void start()}
          />
        )}
        {mode === 'form' && isFolded && (
          <button type="button" class="folded" aria-expanded={false} onClick={() => setFolded(false)}>
            <Icon name="chevron-right" /> {l10n.t('Change the input')}
          </button>
        )}
        {mode === 'form' && !isFolded && form !== undefined && (
          // biome-ignore lint/a11y/noStaticElementInteractions: the fields have the focus, this hears their keys
          <div
            class="form-scroll"
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              void start();
            }}
          >
            <SchemaForm
              field={form}
              draft={draft}
              problems={fieldProblems}
              leadsToProblem
              onChange={(changed) => {
                store.save({ form: changed });
                setProblem(undefined);
                setFieldProblems({});
              }}
            />
          </div>
        )}
        {mode !== 'form' && <RunButton busy={busy} mode={mode} store={store} onStart={() => void start()} />}
      </div>
      <div class="below">
        <Modes modes={modes} mode={mode} onChange={switchTo} />
        <OptionsToggle store={store} view={view} />
        <span class="grow" />
        <p
          class={problem === undefined ? 'muted hint' : 'invalid'}
          role={problem === undefined ? undefined : 'alert'}
        >
          {problem ??
            (mode === 'chat'
              ? l10n.t('Enter sends, Shift+Enter begins a new line')
              : l10n.t('Ctrl+Enter runs'))}
        </p>
        {mode === 'form' && <RunButton busy={busy} mode={mode} store={store} onStart={() => void start()} />}
      </div>
    </form>
  );
}

function modesOf(session: Session, form: Form | undefined): readonly Mode[] {
  return [
    ...(session.input === 'chat' ? (['chat'] as const) : []),
    ...(form === undefined ? [] : (['form'] as const)),
    'json',
  ];
}

/** What was selected in an editor is JSON, or a message. */
function firstMode(session: Session, form: Form | undefined, saved: RunPanelState): Mode {
  if (session.input === 'chat') return 'chat';
  return form === undefined || saved.draft !== '' ? 'json' : 'form';
}

/** What has been given in one way, in the other one, as far as it can be said there. */
function carriedOver(
  from: Mode,
  to: Mode,
  text: string,
  form: Form | undefined,
  draft: Draft,
): Partial<RunPanelState> {
  if (to === 'chat' || form === undefined) return { draft: '' };
  if (to === 'form') {
    const read = from === 'json' ? parseJson(text) : undefined;
    return { draft: '', ...(read !== undefined && 'value' in read && { form: draftOf(form, read.value) }) };
  }
  const read = from === 'form' ? readForm(form, draft) : undefined;
  return { draft: read !== undefined && 'value' in read ? JSON.stringify(read.value, undefined, 2) : '' };
}

function Modes({
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
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms with more than this
    <div class="modes" role="group" aria-label={l10n.t('How the input is given')}>
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

function OptionsToggle({ store, view }: PanelProps) {
  const { shows_options, options } = view.saved;
  const breakpoints = new Set([...options.interrupt_before, ...options.interrupt_after]).size;
  return (
    <button
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
    </button>
  );
}

interface RunButtonProps extends Pick<PanelProps, 'store'> {
  readonly busy: boolean;
  readonly mode: Mode;
  readonly onStart: () => void;
}

function RunButton({ busy, mode, store, onStart }: RunButtonProps) {
  if (busy)
    return <Action icon="debug-stop" label={l10n.t('Cancel run')} onClick={() => store.ask('cancel', {})} />;
  if (mode === 'form') {
    return (
      <vscode-button type="button" title={l10n.t('Run (Ctrl+Enter)')} onClick={onStart}>
        {l10n.t('Run')}
      </vscode-button>
    );
  }
  const label = mode === 'chat' ? l10n.t('Send') : l10n.t('Run');
  const title = mode === 'chat' ? l10n.t('Send (Enter)') : l10n.t('Run (Ctrl+Enter)');
  return (
    <vscode-toolbar-button
      icon={mode === 'chat' ? 'send' : 'play'}
      label={label}
      title={title}
      onClick={onStart}
    />
  );
}

function ForkNote({ store }: Pick<PanelProps, 'store'>) {
  return (
    <p class="fork-note" role="status">
      <Icon name="git-branch" />
      <span class="grow">
        {l10n.t('This is an earlier state. What you send now goes on from here, as a branch.')}
      </span>
      <button type="button" class="link" onClick={() => void store.ask('checkout', {})}>
        {l10n.t('Back to the Newest')}
      </button>
    </p>
  );
}
