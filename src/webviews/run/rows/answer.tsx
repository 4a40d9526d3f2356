import './answer.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { FormEditor } from '../../shared/form/form-editor.tsx';
import { JsonEditor } from '../../shared/json-editor.tsx';
import { parseJson } from '../../shared/json-input.ts';
import { type AnswerOption, fillIn, initialOf, type Question } from '../questions.ts';

interface AnswerProps {
  readonly question: Question;
  readonly onAnswer: (value: unknown) => void;
}

/** How a person answers right now: by choosing, in the form of what was chosen, or with JSON. */
type Way =
  | { readonly kind: 'choose' }
  | { readonly kind: 'form'; readonly option: AnswerOption }
  | { readonly kind: 'json'; readonly text: string };

/** The answers that a question offers, as buttons and forms, and room for any other answer. */
export function Answer({ question, onAnswer }: AnswerProps) {
  const { options, form } = question;
  const hasNone = options.length === 0 && form === undefined;
  const [way, setWay] = useState<Way>(hasNone ? { kind: 'json', text: '' } : { kind: 'choose' });
  const [wasChosen, setChosen] = useState(false);
  const first = useRef<HTMLUListElement>(null);
  /** The element that gets the focus back after canceling. */
  const chosen = useRef(0);
  const wasCancelled = wasChosen && way.kind === 'choose';

  useEffect(() => {
    if (!wasCancelled) return;
    const buttons = [...(first.current?.querySelectorAll<HTMLElement>('vscode-button') ?? [])];
    (buttons[chosen.current] ?? buttons[0])?.focus();
  }, [wasCancelled]);

  const go = (next: Way): void => {
    setWay(next);
    setChosen(true);
  };
  const choose = (option: AnswerOption): void => {
    chosen.current = options.indexOf(option);
    if (option.asks === 'nothing') onAnswer(option.answer);
    else if (option.asks === 'json')
      go({ kind: 'json', text: JSON.stringify(option.answer, undefined, 2) ?? '' });
    else go({ kind: 'form', option });
  };
  const cancel = hasNone ? undefined : () => go({ kind: 'choose' });

  if (way.kind === 'json')
    return <JsonAnswer initial={way.text} takesFocus={wasChosen} onAnswer={onAnswer} onCancel={cancel} />;
  if (way.kind === 'form' && typeof way.option.asks !== 'string') {
    const { option } = way;
    return (
      <div class="answers">
        <FormEditor
          key={option.label}
          label={option.label}
          form={way.option.asks.form}
          initial={initialOf(option)}
          className={way.option.asks.hasArgs ? 'editor args' : 'editor'}
          takesFocus
          onSubmit={(value) => onAnswer(fillIn(option, value))}
          onCancel={cancel}
        >
          {(submit) => <Buttons onSubmit={submit} label={submitLabel(option)} onCancel={cancel} />}
        </FormEditor>
      </div>
    );
  }
  return (
    <div class="answers">
      {options.length > 0 && (
        <ul
          class={options.some(({ description }) => description !== undefined) ? 'options' : 'options row'}
          ref={first}
        >
          {options.map((option, index) => (
            <li key={option.label}>
              <vscode-button secondary={index > 0} onClick={() => choose(option)}>
                {option.asks === 'nothing' ? option.label : l10n.t('{0}…', option.label)}
              </vscode-button>
              {option.description !== undefined && <span class="muted">{option.description}</span>}
            </li>
          ))}
        </ul>
      )}
      {form !== undefined && (
        <FormEditor form={form} onSubmit={onAnswer}>
          {(submit) => <Buttons onSubmit={submit} />}
        </FormEditor>
      )}
      <button type="button" class="link" onClick={() => go({ kind: 'json', text: '' })}>
        {l10n.t('Respond with JSON or Text')}
      </button>
    </div>
  );
}

interface JsonAnswerProps {
  readonly initial: string;
  readonly takesFocus: boolean;
  readonly onAnswer: (value: unknown) => void;
  readonly onCancel: (() => void) | undefined;
}

function JsonAnswer({ initial, takesFocus, onAnswer, onCancel }: JsonAnswerProps) {
  const [text, setText] = useState(initial);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const editor = useRef<HTMLTextAreaElement>(null);

  // Before paint, so that immediate typing goes to the right field.
  useLayoutEffect(() => {
    if (!takesFocus) return;
    editor.current?.focus();
    editor.current?.form?.scrollIntoView({ block: 'nearest' });
  }, [takesFocus]);

  const send = (): void => {
    const read = parseAnswer(text);
    if ('problem' in read) setProblem(read.problem);
    else onAnswer(read.value);
  };
  return (
    <div class="answers">
      <form
        class="editor"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onCancel?.();
        }}
      >
        <JsonEditor
          label={l10n.t('Response (JSON or text)')}
          value={text}
          problem={problem}
          rows={3}
          editor={editor}
          onInput={(value) => {
            setText(value);
            setProblem(undefined);
          }}
          onSubmit={send}
        />
        <Buttons onSubmit={send} onCancel={onCancel} />
      </form>
    </div>
  );
}

interface ButtonsProps {
  readonly onSubmit: () => void;
  readonly onCancel?: (() => void) | undefined;
  readonly label?: string;
}

function Buttons({ onSubmit, onCancel, label = l10n.t('Resume') }: ButtonsProps) {
  return (
    <div class="buttons">
      <vscode-button type="button" onClick={onSubmit}>
        {label}
      </vscode-button>
      {onCancel !== undefined && (
        <vscode-button type="button" secondary onClick={onCancel}>
          {l10n.t('Cancel')}
        </vscode-button>
      )}
    </div>
  );
}

function submitLabel({ label, asks }: AnswerOption): string {
  return typeof asks !== 'string' && asks.hasArgs ? l10n.t('Resume with Changes') : label;
}

/** Text that looks like JSON must be valid JSON; other text is the answer itself. */
function parseAnswer(text: string): { value: unknown } | { problem: string } {
  if (text.trim() === '') return { problem: l10n.t('Enter a response.') };
  if (/^\s*([[{"]|-?\d|true\b|false\b|null\b)/.test(text)) {
    const read = parseJson(text);
    if ('value' in read || /^\s*[[{"]/.test(text)) return read;
  }
  return { value: text };
}
