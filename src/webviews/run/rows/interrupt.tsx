import './interrupt.css';
import * as l10n from '@vscode/l10n';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Interrupt } from '../../../extension/panels/run/journal-entry.ts';
import { Icon } from '../../shared/icon.tsx';
import { questionsOf } from '../questions.ts';
import { Answer } from './answer.tsx';
import { ActionAsked, PayloadAsked } from './asked.tsx';
import { useQuestionFocus } from './question-focus.ts';
import type { RowProps } from './row-props.ts';

/** An interrupt and its answers: those in the payload, or any JSON. */
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
    const isAccepted = await store.run({ resume });
    setSent(isAccepted);
    // Shown again if sending failed.
    if (!isAccepted) setAnswers({});
  };

  const card = useRef<HTMLElement>(null);
  const isAsking = !row.answered && !sent;
  useQuestionFocus(card, isAsking);

  return (
    <article
      ref={card}
      class={row.answered || sent ? 'card' : 'card waiting'}
      aria-label={l10n.t('Waiting for input')}
    >
      {row.interrupts.map((interrupt, index) => {
        const key = interrupt.id ?? String(index);
        return (
          <InterruptQuestions
            key={key}
            payload={interrupt.value}
            isOpen={!row.answered && !sent && !(key in answers)}
            isPassed={row.isPassed}
            onAnswer={(value) => void answer(interrupt, index, value)}
            onOpen={() => void store.ask('openJson', { title: l10n.t('Interrupt'), value: interrupt.value })}
          />
        );
      })}
    </article>
  );
}

interface InterruptQuestionsProps {
  readonly payload: unknown;
  readonly isOpen: boolean;
  readonly isPassed: boolean;
  readonly onAnswer: (value: unknown) => void;
  readonly onOpen: () => void;
}

/** The questions of one interrupt; it is answered when all of them are. */
function InterruptQuestions({ payload, isOpen, isPassed, onAnswer, onOpen }: InterruptQuestionsProps) {
  const { questions, resume } = useMemo(() => questionsOf(payload), [payload]);
  const [answers, setAnswers] = useState<readonly Answered[]>([]);
  const answeredAt = (place: number) => answers.find(({ index }) => index === place);

  const answer = (index: number, value: unknown): void => {
    const next = [...answers, { index, value }];
    if (next.length < questions.length) setAnswers(next);
    else {
      setAnswers([]);
      onAnswer(resume(next.toSorted((a, b) => a.index - b.index).map((one) => one.value)));
    }
  };

  return questions.map((question, index) => {
    const asks = isOpen && answeredAt(index) === undefined;
    return (
      <div key={index} class="question">
        {question.action === undefined ? (
          <PayloadAsked payload={payload} isOpen={asks} isPassed={isPassed} onOpen={onOpen} />
        ) : (
          <ActionAsked action={question.action} isOpen={asks} isPassed={isPassed} onOpen={onOpen} />
        )}
        {asks && <Answer question={question} onAnswer={(value) => answer(index, value)} />}
        {isOpen && !asks && (
          <p class="kept">
            <Icon name="check" /> {l10n.t('Answered. Sent when all requests are answered.')}{' '}
            <button
              type="button"
              class="link"
              onClick={() => setAnswers(answers.filter((one) => one.index !== index))}
            >
              {l10n.t('Change')}
            </button>
          </p>
        )}
      </div>
    );
  });
}

interface Answered {
  readonly index: number;
  readonly value: unknown;
}
