import './answer.css';
import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { FormEditor } from '../../shared/form/form-editor.tsx';
import { type AnswerOption, fillIn, initialOf, type Question } from '../questions.ts';
import { AnswerButtons } from './answer-buttons.tsx';
import { TypedAnswer } from './typed-answer.tsx';

interface AnswerProps {
  readonly question: Question;
  /** Whether the question is plain text. */
  readonly isText: boolean;
  /** The label of the button that submits a typed answer. */
  readonly submitLabel: string;
  readonly onAnswer: (value: unknown) => void;
  /** Opens a page, if the user agrees. @returns whether it was opened */
  readonly onVisit?: (url: string) => Promise<boolean>;
}

/** How the user is answering: by choosing, in the form of the chosen option, or by typing. */
type Way =
  | { readonly kind: 'choose' }
  | { readonly kind: 'form'; readonly option: AnswerOption }
  | { readonly kind: 'json'; readonly text: string };

/** The answers that a question offers, as buttons and forms, with a field for any other answer. */
export function Answer({ question, isText, submitLabel, onAnswer, onVisit }: AnswerProps) {
  const { options, form, refusals, elicitation } = question;
  const hasNone = options.length === 0 && form === undefined && elicitation === undefined;
  const [way, setWay] = useState<Way>(hasNone ? { kind: 'json', text: '' } : { kind: 'choose' });
  const [wasChosen, setChosen] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const link = useRef<HTMLButtonElement>(null);
  /** The position of the chosen option, which gets the focus back after canceling; -1 for the link. */
  const chosen = useRef(-1);
  const wasCanceled = wasChosen && way.kind === 'choose';

  useEffect(() => {
    if (!wasCanceled) return;
    const buttons = list.current?.querySelectorAll<HTMLElement>('vscode-button');
    (buttons?.[chosen.current] ?? link.current)?.focus();
  }, [wasCanceled]);

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
  const write = (): void => {
    chosen.current = -1;
    go({ kind: 'json', text: '' });
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
          {(submit) => <AnswerButtons onSubmit={submit} label={optionLabel(option)} onCancel={cancel} />}
        </FormEditor>
      </div>
    );
  }
  return (
    <div class="answers">
      <Options options={options} list={list} onChoose={choose} />
      {form !== undefined && (
        <FormEditor form={form} onSubmit={(filled) => onAnswer(question.answerOfForm(filled))}>
          {(submit) => (
            <AnswerButtons onSubmit={submit} label={submitLabel}>
              <Refusals refusals={refusals} onAnswer={onAnswer} />
            </AnswerButtons>
          )}
        </FormEditor>
      )}
      {form === undefined && refusals.length > 0 && (
        <div class="buttons">
          {elicitation?.mode === 'url' && onVisit !== undefined && (
            <VisitButton url={elicitation.url} onVisit={onVisit} onAnswer={onAnswer} />
          )}
          <Refusals refusals={refusals} onAnswer={onAnswer} />
        </div>
      )}
      {elicitation === undefined && (
        <button type="button" class="link" ref={link} onClick={write}>
          {l10n.t('Write a Response…')}
        </button>
      )}
    </div>
  );
}

interface OptionsProps extends Pick<Question, 'options'> {
  readonly list: RefObject<HTMLUListElement>;
  readonly onChoose: (option: AnswerOption) => void;
}

/** A button for each offered answer. */
function Options({ options, list, onChoose }: OptionsProps) {
  if (options.length === 0) return null;
  const hasDescriptions = options.some(({ description }) => description !== undefined);
  return (
    <ul class={hasDescriptions ? 'options' : 'options row'} ref={list}>
      {options.map((option, index) => (
        <li key={option.label}>
          <vscode-button secondary={index > 0} onClick={() => onChoose(option)}>
            {option.asks === 'nothing' ? option.label : l10n.t('{0}…', option.label)}
          </vscode-button>
          {option.description !== undefined && <span class="muted">{option.description}</span>}
        </li>
      ))}
    </ul>
  );
}

interface VisitButtonProps extends Pick<AnswerProps, 'onAnswer'> {
  readonly url: string;
  readonly onVisit: (url: string) => Promise<boolean>;
}

/** Opens the page that an MCP server asks the user to visit, and accepts once it was opened. */
function VisitButton({ url, onVisit, onAnswer }: VisitButtonProps) {
  const visit = async (): Promise<void> => {
    if (await onVisit(url)) onAnswer({ action: 'accept' });
  };
  return (
    <vscode-button type="button" onClick={() => void visit()}>
      {l10n.t('Open in Browser…')}
    </vscode-button>
  );
}

/** A button for each answer that declines the question or cancels the tool call. */
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

function optionLabel({ label, asks }: AnswerOption): string {
  return typeof asks !== 'string' && asks.hasArgs ? l10n.t('Resume with Changes') : label;
}
