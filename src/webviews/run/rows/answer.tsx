import './answer.css';
import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { FormEditor } from '../../shared/form/form-editor.tsx';
import { JsonEditor } from '../../shared/json-editor.tsx';
import { type AnswerOption, fillIn, initialOf, type Question } from '../questions.ts';
import { guessType, type ResponseType, readResponse } from '../typed-response.ts';

interface AnswerProps {
  readonly question: Question;
  /** Whether the question is a plain text. */
  readonly isText: boolean;
  /** The button that sends the filled in answer, or keeps it until the other questions are answered. */
  readonly submitLabel: string;
  readonly onAnswer: (value: unknown) => void;
  /** Opens a page, after asking; returns whether it was opened. */
  readonly onVisit?: (url: string) => Promise<boolean>;
}

/** How the user answers right now: by choosing, in the form of the chosen option, or with JSON. */
type Way =
  | { readonly kind: 'choose' }
  | { readonly kind: 'form'; readonly option: AnswerOption }
  | { readonly kind: 'json'; readonly text: string };

/** The offered answers of a question, as buttons and forms, and a field for any other answer. */
export function Answer({ question, isText, submitLabel, onAnswer, onVisit }: AnswerProps) {
  const { options, form, refusals, elicitation } = question;
  const hasNone = options.length === 0 && form === undefined && elicitation === undefined;
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
    return (
      <TypedAnswer
        initial={way.text}
        isText={isText}
        takesFocus={wasChosen}
        submitLabel={submitLabel}
        onAnswer={onAnswer}
        onCancel={cancel}
      />
    );
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
          {(submit) => <Buttons onSubmit={submit} label={optionLabel(option)} onCancel={cancel} />}
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
        <FormEditor form={form} onSubmit={(filled) => onAnswer(question.ofForm(filled))}>
          {(submit) => (
            <Buttons onSubmit={submit} label={submitLabel}>
              <Refusals refusals={refusals} onAnswer={onAnswer} />
            </Buttons>
          )}
        </FormEditor>
      )}
      {form === undefined && refusals.length > 0 && (
        <div class="buttons">
          {elicitation?.mode === 'url' && onVisit !== undefined && (
            <vscode-button
              type="button"
              onClick={() =>
                void onVisit(elicitation.url).then((isOpened) => isOpened && onAnswer({ action: 'accept' }))
              }
            >
              {l10n.t('Open in Browser…')}
            </vscode-button>
          )}
          <Refusals refusals={refusals} onAnswer={onAnswer} />
        </div>
      )}
      {elicitation === undefined && (
        <button type="button" class="link" onClick={() => go({ kind: 'json', text: '' })}>
          {l10n.t('Write a Response…')}
        </button>
      )}
    </div>
  );
}

interface TypedAnswerProps extends Pick<AnswerProps, 'isText' | 'submitLabel'> {
  readonly initial: string;
  readonly takesFocus: boolean;
  readonly onAnswer: (value: unknown) => void;
  readonly onCancel: (() => void) | undefined;
}

/** A typed response, with a label for how it is sent, which can be changed. */
function TypedAnswer(props: TypedAnswerProps) {
  const { initial, isText, takesFocus, submitLabel, onAnswer, onCancel } = props;
  const typeId = useId();
  const [chosenType, setChosenType] = useState<ResponseType | undefined>(undefined);
  const [text, setText] = useState(initial);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const editor = useRef<HTMLTextAreaElement>(null);

  // Before paint, so that immediate typing goes to the right field.
  useLayoutEffect(() => {
    if (!takesFocus) return;
    editor.current?.focus();
    editor.current?.form?.scrollIntoView({ block: 'nearest' });
  }, [takesFocus]);

  const type = chosenType ?? guessType(text, isText);
  const send = (): void => {
    const read = readResponse(text, type);
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
          label={l10n.t('Response')}
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
        <div class="sent-as">
          <label for={typeId}>{l10n.t('Send as')}</label>
          <select
            id={typeId}
            value={type}
            onChange={({ currentTarget }) => {
              setChosenType(currentTarget.value === 'json' ? 'json' : 'text');
              setProblem(undefined);
            }}
          >
            <option value="text">{l10n.t('Text')}</option>
            <option value="json">JSON</option>
          </select>
        </div>
        <Buttons onSubmit={send} label={submitLabel} onCancel={onCancel} />
      </form>
    </div>
  );
}

function Refusals({ refusals, onAnswer }: Pick<Question, 'refusals'> & Pick<AnswerProps, 'onAnswer'>) {
  return (
    <>
      {refusals.map(({ label, answer }) => (
        <vscode-button key={label} type="button" secondary onClick={() => onAnswer(answer)}>
          {label}
        </vscode-button>
      ))}
    </>
  );
}

interface ButtonsProps {
  readonly children?: ComponentChildren;
  readonly onSubmit: () => void;
  readonly onCancel?: (() => void) | undefined;
  readonly label: string;
}

function Buttons({ onSubmit, onCancel, label, children }: ButtonsProps) {
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
      {children}
    </div>
  );
}

function optionLabel({ label, asks }: AnswerOption): string {
  return typeof asks !== 'string' && asks.hasArgs ? l10n.t('Resume with Changes') : label;
}
