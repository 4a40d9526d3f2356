import './interrupt.css';
import * as l10n from '@vscode/l10n';
import type { ComponentProps } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from '../../shared/icon.tsx';
import { type Question, questionsOf } from '../questions.ts';
import { Answer } from './answer.tsx';
import { ActionAsked, ElicitationAsked, hostOf, PayloadAsked } from './asked.tsx';
import { focusQuestion, useQuestionFocus } from './question-focus.ts';
import type { RowProps } from './row-props.ts';

/** The answers so far, by the key of the question. */
type Answers = ReadonlyMap<string, unknown>;

/** Interrupts with their questions, and fields for the answers, which are sent once all questions are answered. */
export function InterruptCard({ row, store }: RowProps<'interrupt'>) {
  const [answers, setAnswers] = useState<Answers>(new Map());
  const [sent, setSent] = useState(false);
  const asked = useMemo(() => row.interrupts.map(toAsked), [row.interrupts]);
  const questions = asked.flatMap((interrupt) => interrupt.questions);
  const isOpen = !row.answered && !sent;

  const answer = async (key: string, value: unknown): Promise<void> => {
    const next: Answers = new Map([...answers, [key, value]]);
    setAnswers(next);
    if (questions.some((question) => !next.has(question.key))) return;
    setSent(true);
    const isAccepted = await store.run({ resume: resumeWith(asked, next) });
    setSent(isAccepted);
    // If sending failed, the last question is asked again.
    if (!isAccepted) setAnswers(answers);
  };

  const card = useRef<HTMLElement>(null);
  useQuestionFocus(card, isOpen);
  const isBetween = isOpen && answers.size > 0;
  useEffect(() => {
    if (isBetween) focusQuestion(card.current);
  }, [isBetween, answers]);

  const left = questions.filter(({ key }) => !answers.has(key)).length;
  const places = new Map(questions.map(({ key }, index) => [key, index + 1]));
  const total = questions.length;
  return (
    <article ref={card} class={isOpen ? 'card waiting' : 'card'} aria-label={l10n.t('Waiting for input')}>
      {asked.map(({ payload, questions: own }) =>
        own.map(({ key, question }) => {
          const asks = isOpen && !answers.has(key);
          const place = places.get(key) ?? 1;
          const shown = {
            isOpen: asks,
            isPassed: row.isPassed,
            onOpen: () => void store.ask('openJson', { title: l10n.t('Interrupt'), value: payload }),
          };
          return (
            <div key={key} class={asks ? 'question asks' : 'question'}>
              {total > 1 && isOpen && <p class="place">{l10n.t('{0} of {1}', place, total)}</p>}
              <Asked question={question} payload={payload} {...shown} />
              {asks && (
                <Answer
                  question={question}
                  isText={typeof payload === 'string'}
                  submitLabel={left > 1 ? l10n.t('Save Answer ({0} of {1})', place, total) : l10n.t('Resume')}
                  onAnswer={(value) => void answer(key, value)}
                  {...(canVisit(question) && {
                    onVisit: async (url) => (await store.ask('visit', { url })) === true,
                  })}
                />
              )}
              {isOpen && !asks && (
                <p class="kept">
                  <Icon name="check" />{' '}
                  {l10n.t('Answer saved. All answers are sent once you’ve answered all {0} requests.', total)}{' '}
                  <button
                    type="button"
                    class="link"
                    onClick={() => setAnswers(new Map([...answers].filter(([name]) => name !== key)))}
                  >
                    {l10n.t('Change')}
                  </button>
                </p>
              )}
            </div>
          );
        }),
      )}
    </article>
  );
}

type AskedProps = ComponentProps<typeof PayloadAsked> & { readonly question: Question };

function Asked({ question: { action, elicitation }, payload, ...shown }: AskedProps) {
  if (action !== undefined) return <ActionAsked action={action} {...shown} />;
  if (elicitation !== undefined) return <ElicitationAsked elicitation={elicitation} {...shown} />;
  return <PayloadAsked payload={payload} {...shown} />;
}

function canVisit({ elicitation }: Question): boolean {
  return elicitation?.mode === 'url' && hostOf(elicitation.url) !== undefined;
}

type AskedInterrupt = ReturnType<typeof toAsked>;

/** An interrupt with its questions. One without an ID is identified by its position. */
function toAsked({ id, value }: RowProps<'interrupt'>['row']['interrupts'][number], index: number) {
  const { questions, resume } = questionsOf(value);
  const name = id ?? String(index);
  return {
    name,
    payload: value,
    questions: questions.map((question, place) => ({ key: `${name}/${place}`, question })),
    resume,
  };
}

/** Several interrupts are answered together, each by its ID. */
function resumeWith(asked: readonly AskedInterrupt[], answers: Answers): unknown {
  const values = asked.map(
    ({ name, questions, resume }) => [name, resume(questions.map(({ key }) => answers.get(key)))] as const,
  );
  return values.length > 1 ? Object.fromEntries(values) : values[0]?.[1];
}
