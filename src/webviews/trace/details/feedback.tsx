import * as l10n from '@vscode/l10n';
import { useId, useState } from 'preact/hooks';
import type { GivenFeedback, SpanDetails } from '../../../extension/panels/trace/messages.ts';
import { Icon } from '../../shared/icon.tsx';
import type { PanelProps } from '../app.tsx';

interface FeedbackSectionProps {
  readonly details: SpanDetails;
  /** Those usually asked for. */
  readonly keys: readonly string[];
  readonly store: PanelProps['store'];
}

/** The feedback that a span was given, and room for more. */
export function FeedbackSection({ details, keys, store }: FeedbackSectionProps) {
  const [isGiving, setGiving] = useState(false);
  return (
    <section class="part" aria-label={l10n.t('Feedback')}>
      <div class="part-head">
        <h3>{l10n.t('Feedback')}</h3>
        {!isGiving && (
          <button type="button" class="link" onClick={() => setGiving(true)}>
            {l10n.t('Give Feedback')}
          </button>
        )}
      </div>
      {details.feedback.length === 0 && !isGiving && <p class="muted">{l10n.t('None yet')}</p>}
      {details.feedback.length > 0 && (
        <ul class="feedback-list">
          {details.feedback.map((feedback) => (
            <li key={feedback.id}>
              <Given feedback={feedback} />
            </li>
          ))}
        </ul>
      )}
      {isGiving && <Form runId={details.id} keys={keys} store={store} onClose={() => setGiving(false)} />}
    </section>
  );
}

function Given({ feedback: { key, score, value, comment } }: { readonly feedback: GivenFeedback }) {
  const icon =
    score === 1 || score === true
      ? 'thumbsup-filled'
      : score === 0 || score === false
        ? 'thumbsdown-filled'
        : 'feedback';
  return (
    <>
      <Icon name={icon} />
      <span class="key">{key}</span>
      {score !== undefined && <span class="score">{String(score)}</span>}
      {value !== undefined && <span>{typeof value === 'string' ? value : JSON.stringify(value)}</span>}
      {comment !== undefined && <q>{comment}</q>}
    </>
  );
}

interface FormProps {
  readonly runId: string;
  readonly keys: readonly string[];
  readonly store: PanelProps['store'];
  readonly onClose: () => void;
}

function Form({ runId, keys, store, onClose }: FormProps) {
  const [key, setKey] = useState(keys[0] ?? '');
  const [score, setScore] = useState('');
  const [comment, setComment] = useState('');
  const [problem, setProblem] = useState('');
  const id = useId();

  const send = async (): Promise<void> => {
    const number = score.trim() === '' ? undefined : Number(score);
    if (key.trim() === '') return setProblem(l10n.t('Name what the feedback is about, such as helpful.'));
    if (number !== undefined && !Number.isFinite(number))
      return setProblem(l10n.t('The score must be a number, such as 1 or 0.5.'));
    if (number === undefined && comment.trim() === '')
      return setProblem(l10n.t('Give a score, a comment, or both.'));
    const feedback = {
      run_id: runId,
      key: key.trim(),
      ...(number !== undefined && { score: number }),
      ...(comment.trim() !== '' && { comment: comment.trim() }),
    };
    if (await store.did('feedback', feedback)) onClose();
    return undefined;
  };

  return (
    <form
      class="give"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <label for={`${id}-key`}>{l10n.t('Key')}</label>
      <input
        id={`${id}-key`}
        type="text"
        list={`${id}-keys`}
        maxLength={180}
        value={key}
        onInput={(event) => setKey(event.currentTarget.value)}
      />
      <datalist id={`${id}-keys`}>
        {keys.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <label for={`${id}-score`}>{l10n.t('Score')}</label>
      <div class="scores">
        <Thumb icon="thumbsup" label={l10n.t('Good')} pressed={score === '1'} onClick={() => setScore('1')} />
        <Thumb
          icon="thumbsdown"
          label={l10n.t('Bad')}
          pressed={score === '0'}
          onClick={() => setScore('0')}
        />
        <input
          id={`${id}-score`}
          type="text"
          inputMode="decimal"
          value={score}
          placeholder={l10n.t('or a number')}
          onInput={(event) => setScore(event.currentTarget.value)}
        />
      </div>
      <label for={`${id}-comment`}>{l10n.t('Comment')}</label>
      <textarea
        id={`${id}-comment`}
        rows={2}
        value={comment}
        placeholder={l10n.t('What was good or bad about it?')}
        onInput={(event) => setComment(event.currentTarget.value)}
      />
      <p class="invalid" role="alert">
        {problem}
      </p>
      <div class="buttons">
        <vscode-button type="button" onClick={() => void send()}>
          {l10n.t('Send')}
        </vscode-button>
        <vscode-button type="button" secondary onClick={onClose}>
          {l10n.t('Cancel')}
        </vscode-button>
      </div>
    </form>
  );
}

interface ThumbProps {
  readonly icon: string;
  readonly label: string;
  readonly pressed: boolean;
  readonly onClick: () => void;
}

function Thumb({ icon, label, pressed, onClick }: ThumbProps) {
  return (
    <button
      type="button"
      class="thumb"
      title={label}
      aria-label={label}
      aria-pressed={pressed}
      onClick={onClick}
    >
      <Icon name={pressed ? `${icon}-filled` : icon} />
    </button>
  );
}
