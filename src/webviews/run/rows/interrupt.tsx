import * as l10n from '@vscode/l10n';
import { Fragment } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Interrupt } from '../../../extension/panels/run/messages.ts';
import { Icon } from '../../shared/icon.tsx';
import { Json, preview } from '../../shared/json.tsx';
import { type InterruptOption, interruptOptions } from '../interrupt-options.ts';
import { parseJson } from '../json-input.ts';
import { isDictionary } from '../messages.ts';
import type { RowProps } from './row.tsx';

/** What the run asks a person, and the answers: those the payload offers, or any JSON. */
export function InterruptCard({ row, store }: RowProps<'interrupt'>) {
  const [answers, setAnswers] = useState<Readonly<Record<string, unknown>>>({});
  const [sent, setSent] = useState(false);

  const answer = async (interrupt: Interrupt, index: number, value: unknown): Promise<void> => {
    const next = { ...answers, [interrupt.id ?? String(index)]: value };
    setAnswers(next);
    if (row.interrupts.length > 1 && Object.keys(next).length < row.interrupts.length) return;
    setSent(true);
    // Several interrupts are answered together, each by its id.
    const resume = row.interrupts.length > 1 ? next : value;
    setSent(await store.did('resume', { resume }));
  };

  return (
    <section class={row.answered || sent ? 'card' : 'card waiting'} aria-label={l10n.t('The run asks')}>
      {row.interrupts.map((interrupt, index) => {
        const key = interrupt.id ?? String(index);
        const isOpen = !row.answered && !sent && !(key in answers);
        return (
          <div key={key} class="question">
            <Payload
              payload={interrupt.value}
              isOpen={isOpen}
              onOpen={() =>
                void store.ask('openJson', { title: l10n.t('Interrupt'), value: interrupt.value })
              }
            />
            {isOpen && (
              <Answer payload={interrupt.value} onAnswer={(value) => void answer(interrupt, index, value)} />
            )}
          </div>
        );
      })}
    </section>
  );
}

interface PayloadProps {
  readonly payload: unknown;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

function Payload({ payload, isOpen, onOpen }: PayloadProps) {
  const { title, facts, rest } = describe(payload);
  return (
    <>
      <p class="title">
        <Icon name={isOpen ? 'debug-pause' : 'check'} /> {title}
      </p>
      {facts.length > 0 && (
        <dl>
          {facts.map(([name, value]) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{String(value)}</dd>
            </Fragment>
          ))}
        </dl>
      )}
      {rest !== undefined && (
        // What has been answered makes room for what came of it.
        <details class="line" open={isOpen}>
          <summary>
            <Icon name="json" />
            <span class="name">{l10n.t('Details')}</span>
            <span class="preview">{preview(rest)}</span>
          </summary>
          <Json value={rest} onOpen={onOpen} />
        </details>
      )}
    </>
  );
}

interface Described {
  readonly title: string;
  readonly facts: readonly (readonly [string, unknown])[];
  readonly rest: unknown;
}

/** The payload's own sentence, what else it says in a word or a number, and the rest of it. */
function describe(payload: unknown): Described {
  if (typeof payload === 'string') return { title: payload, facts: [], rest: undefined };
  const waits = l10n.t('The run waits for your answer');
  if (!isDictionary(payload)) return { title: waits, facts: [], rest: payload };
  const sentence = ['message', 'reason', 'description', 'prompt', 'question'].find(
    (name) => typeof payload[name] === 'string',
  );
  const hidden = new Set([sentence, 'allowed', 'options', 'choices', 'type']);
  const entries = Object.entries(payload).filter(([name]) => !hidden.has(name));
  const rest = entries.filter(([, value]) => typeof value === 'object' && value !== null);
  return {
    title: sentence === undefined ? waits : String(payload[sentence]),
    facts: entries.filter(([, value]) => typeof value !== 'object' && value !== null),
    rest: rest.length > 0 ? Object.fromEntries(rest) : undefined,
  };
}

interface AnswerProps {
  readonly payload: unknown;
  readonly onAnswer: (value: unknown) => void;
}

function Answer({ payload, onAnswer }: AnswerProps) {
  const options = interruptOptions(payload);
  const [text, setText] = useState('');
  const [isEditing, setEditing] = useState(options.length === 0);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const id = useId();
  const editor = useRef<HTMLTextAreaElement>(null);
  const [wasChosen, setChosen] = useState(false);

  useEffect(() => {
    if (!wasChosen) return;
    editor.current?.focus();
    editor.current?.form?.scrollIntoView({ block: 'nearest' });
  }, [wasChosen]);

  const edit = (): void => {
    setEditing(true);
    setChosen(true);
  };
  const choose = (option: InterruptOption): void => {
    if (!option.isPattern) {
      onAnswer(option.resume);
      return;
    }
    setText(JSON.stringify(option.resume, undefined, 2));
    edit();
  };
  const send = (): void => {
    const read = parseAnswer(text);
    if ('problem' in read) setProblem(read.problem);
    else onAnswer(read.value);
  };

  return (
    <div class="answers">
      {options.length > 0 && (
        <ul class="options">
          {options.map((option, index) => (
            <li key={option.label}>
              <vscode-button secondary={index > 0} onClick={() => choose(option)}>
                {option.isPattern ? l10n.t('{0}…', option.label) : option.label}
              </vscode-button>
              <span class="muted">{option.description}</span>
            </li>
          ))}
        </ul>
      )}
      {!isEditing && (
        <button type="button" class="link" onClick={edit}>
          {l10n.t('Answer with JSON or text')}
        </button>
      )}
      {isEditing && (
        <form
          class="editor"
          onSubmit={(event) => {
            event.preventDefault();
            send();
          }}
        >
          <label for={id}>{l10n.t('Your answer, as JSON or plain text')}</label>
          <textarea
            ref={editor}
            id={id}
            class="code"
            rows={3}
            value={text}
            spellcheck={false}
            aria-invalid={problem !== undefined}
            aria-describedby={`${id}-problem`}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setProblem(undefined);
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              send();
            }}
          />
          <p class="invalid" id={`${id}-problem`} role="alert">
            {problem}
          </p>
          <vscode-button type="button" onClick={send}>
            {l10n.t('Resume')}
          </vscode-button>
        </form>
      )}
    </div>
  );
}

/** Text that looks like JSON has to be JSON; any other is itself the answer. */
function parseAnswer(text: string): { value: unknown } | { problem: string } {
  if (text.trim() === '') return { problem: l10n.t('Type an answer.') };
  if (/^\s*([[{"]|-?\d|true\b|false\b|null\b)/.test(text)) {
    const read = parseJson(text);
    if ('value' in read || /^\s*[[{"]/.test(text)) return read;
  }
  return { value: text };
}
