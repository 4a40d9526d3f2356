import * as l10n from '@vscode/l10n';
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { Interrupt } from '../../../extension/panels/run/messages.ts';
import { Icon } from '../../shared/icon.tsx';
import { Json, preview } from '../../shared/json.tsx';
import { schemaKeys } from '../interrupt-options.ts';
import { isDictionary } from '../messages.ts';
import { Answer } from './answer.tsx';
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
    setSent(await store.did('resume', { resume, options: store.view.saved.options }));
  };

  return (
    <article class={row.answered || sent ? 'card' : 'card waiting'} aria-label={l10n.t('The run asks')}>
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
    </article>
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
  const hidden = new Set([sentence, 'allowed', 'options', 'choices', 'type', ...schemaKeys]);
  const entries = Object.entries(payload).filter(([name]) => !hidden.has(name));
  const rest = entries.filter(([, value]) => typeof value === 'object' && value !== null);
  return {
    title: sentence === undefined ? waits : String(payload[sentence]),
    facts: entries.filter(([, value]) => typeof value !== 'object' && value !== null),
    rest: rest.length > 0 ? Object.fromEntries(rest) : undefined,
  };
}
