import * as l10n from '@vscode/l10n';
import { useId, useState } from 'preact/hooks';
import type { RunOutcome } from '../../../extension/panels/run/messages.ts';
import { Icon } from '../../shared/icon.tsx';
import type { FeedbackGiven } from '../transcript-model.ts';
import type { RowProps } from './row.tsx';

/** The end of a run: how it went, its trace, and what people think of it. */
export function RunEnd({ row, store }: RowProps<'end'>) {
  const { runId, outcome } = row;
  // A run that only paused has been neither good nor bad yet.
  const keys = outcome === 'interrupted' ? [] : row.feedbackKeys;
  return (
    <footer>
      <div class="result">
        <Outcome outcome={outcome} />
        {row.durationMs !== undefined && <span class="muted">{duration(row.durationMs)}</span>}
        <button type="button" class="link" onClick={() => void store.ask('showTrace', { run_id: runId })}>
          {l10n.t('Show Trace')}
        </button>
      </div>
      {keys.map((key) => (
        <FeedbackBar key={key} feedbackKey={key} given={row.feedback[key]} runId={runId} store={store} />
      ))}
    </footer>
  );
}

function outcomes(): Readonly<Record<RunOutcome, { readonly icon: string; readonly text: string }>> {
  return {
    success: { icon: 'check', text: l10n.t('Done') },
    interrupted: { icon: 'debug-pause', text: l10n.t('Paused') },
    cancelled: { icon: 'circle-slash', text: l10n.t('Cancelled') },
    timeout: { icon: 'watch', text: l10n.t('Timed out') },
    error: { icon: 'error', text: l10n.t('Failed') },
    unknown: { icon: 'question', text: l10n.t('Lost sight of') },
  };
}

function Outcome({ outcome }: { readonly outcome: RunOutcome }) {
  const { icon, text } = outcomes()[outcome];
  return (
    <span class={`outcome ${outcome}`}>
      <Icon name={icon} /> {text}
    </span>
  );
}

interface FeedbackBarProps {
  readonly feedbackKey: string;
  readonly given: FeedbackGiven | undefined;
  readonly runId: string;
  readonly store: RowProps['store'];
}

function FeedbackBar({ feedbackKey: key, given, runId, store }: FeedbackBarProps) {
  const [isCommenting, setCommenting] = useState(false);
  const [comment, setComment] = useState('');
  const id = useId();

  const rate = (score: number) => void store.ask('feedback', { run_id: runId, key, score });
  const sendComment = async (): Promise<void> => {
    if (comment.trim() === '') return;
    const feedback = { run_id: runId, key, comment: comment.trim() };
    if (await store.did('feedback', feedback)) setCommenting(false);
  };

  return (
    <section class="feedback" aria-label={l10n.t('Feedback {0}', key)}>
      <span class="muted">{key}</span>
      <Thumb
        icon="thumbsup"
        label={l10n.t('Good answer')}
        pressed={given?.score === 1}
        onClick={() => rate(1)}
      />
      <Thumb
        icon="thumbsdown"
        label={l10n.t('Bad answer')}
        pressed={given?.score === 0}
        onClick={() => rate(0)}
      />
      {given?.comment !== undefined && <q class="comment">{given.comment}</q>}
      {!isCommenting && (
        <button type="button" class="link" onClick={() => setCommenting(true)}>
          {given?.comment === undefined ? l10n.t('Comment') : l10n.t('Change')}
        </button>
      )}
      {isCommenting && (
        <form
          class="comment"
          onSubmit={(event) => {
            event.preventDefault();
            void sendComment();
          }}
        >
          <label class="for-screen-readers" for={id}>
            {l10n.t('Comment')}
          </label>
          <input
            id={id}
            type="text"
            value={comment}
            placeholder={l10n.t('What was good or bad about it?')}
            // The person has just asked for it.
            ref={(input) => input?.focus()}
            onInput={(event) => setComment(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') setCommenting(false);
            }}
          />
          <vscode-button type="button" onClick={() => void sendComment()}>
            {l10n.t('Send')}
          </vscode-button>
        </form>
      )}
    </section>
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

/** `0.84 s`, `12.3 s`, `2 min 5 s`. */
function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return l10n.t('{0} s', seconds.toFixed(2));
  if (seconds < 60) return l10n.t('{0} s', seconds.toFixed(1));
  return l10n.t('{0} min {1} s', Math.floor(seconds / 60), Math.round(seconds % 60));
}
