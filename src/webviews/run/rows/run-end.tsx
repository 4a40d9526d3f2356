import './run-end.css';
import * as l10n from '@vscode/l10n';
import type { GivenFeedback } from '../../../extension/panels/feedback.ts';
import { money } from '../../../terms/money.ts';
import { duration } from '../../shared/duration.ts';
import { FeedbackArea } from '../../shared/feedback/feedback-area.tsx';
import { ownFeedback, thumbPressed } from '../../shared/feedback/feedback-input.ts';
import { Thumb } from '../../shared/feedback/thumb.tsx';
import { Icon } from '../../shared/icon.tsx';
import type { EndOutcome } from '../transcript-model.ts';
import type { RowProps } from './row-props.ts';

/** The end of a run: its outcome, its trace, and feedback. */
export function RunEnd({ row, store }: RowProps<'end'>) {
  const { runId, outcome } = row;
  return (
    <footer>
      <div class="result">
        <Outcome outcome={outcome} />
        {row.durationMs !== undefined && (
          <span class="muted">
            {row.pausedMs === undefined
              ? duration(row.durationMs)
              : l10n.t('{0}, paused {1}', duration(row.durationMs), duration(row.pausedMs))}
          </span>
        )}
        {row.tokens > 0 && <span class="muted">{l10n.t('{0} tokens', row.tokens.toLocaleString())}</span>}
        {row.dollars !== undefined && <span class="muted">{money(row.dollars)}</span>}
        <button type="button" class="link" onClick={() => void store.ask('showTrace', { run_id: runId })}>
          {l10n.t('Show Trace')}
        </button>
      </div>
      {/* A run that is only paused cannot be rated yet. */}
      {outcome !== 'interrupted' && outcome !== 'paused' && <Feedback row={row} store={store} />}
    </footer>
  );
}

function Feedback({ row, store }: RowProps<'end'>) {
  const { runId: run_id, feedbackKeys: keys, feedback } = row;
  const rate = (key: string, score: 0 | 1): void => {
    const change = thumbPressed(key, score, ownFeedback(feedback, key));
    if ('takeBack' in change) void store.ask('deleteFeedback', { run_id, feedback_id: change.takeBack });
    else void store.ask('feedback', { run_id, ...change.give });
  };
  return (
    <article class="feedback" aria-label={l10n.t('Feedback')}>
      <FeedbackArea
        feedback={feedback}
        listed={feedback.filter((given) => !isOnlyThumb(given, keys))}
        keys={keys}
        output={row.output}
        onSend={(given) => store.did('feedback', { run_id, ...given })}
        onDelete={(feedback_id) => void store.ask('deleteFeedback', { run_id, feedback_id })}
      >
        {(opener) => (
          <div class="thumbs">
            {keys.map((key) => (
              <KeyBar
                key={key}
                name={key}
                score={ownFeedback(feedback, key)?.score}
                onRate={(score) => rate(key, score)}
              />
            ))}
            {opener}
          </div>
        )}
      </FeedbackArea>
    </article>
  );
}

interface KeyBarProps {
  readonly name: string;
  readonly score: GivenFeedback['score'];
  readonly onRate: (score: 0 | 1) => void;
}

function KeyBar({ name, score, onRate }: KeyBarProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <span class="key-bar" role="group" aria-label={l10n.t('Feedback {0}', name)}>
      <span class="muted">{name}</span>
      <Thumb
        icon="thumbsup"
        label={l10n.t('Good Answer')}
        pressed={score === 1 || score === true}
        onClick={() => onRate(1)}
      />
      <Thumb
        icon="thumbsdown"
        label={l10n.t('Bad Answer')}
        pressed={score === 0 || score === false}
        onClick={() => onRate(0)}
      />
    </span>
  );
}

/** Whether feedback is only a score that the pressed thumb already shows. */
function isOnlyThumb(
  { key, score, value, comment, correction, isOwn }: GivenFeedback,
  keys: readonly string[],
): boolean {
  const isThumb = score === 0 || score === 1 || typeof score === 'boolean';
  return (
    isOwn === true &&
    isThumb &&
    keys.includes(key) &&
    value === undefined &&
    comment === undefined &&
    correction === undefined
  );
}

function outcomes(): Readonly<Record<EndOutcome, { readonly icon: string; readonly text: string }>> {
  return {
    success: { icon: 'check', text: l10n.t('Done') },
    interrupted: { icon: 'debug-pause', text: l10n.t('Waiting for input') },
    paused: { icon: 'debug-pause', text: l10n.t('Paused') },
    cancelled: { icon: 'circle-slash', text: l10n.t('Canceled') },
    timeout: { icon: 'watch', text: l10n.t('Timed out') },
    error: { icon: 'error', text: l10n.t('Failed') },
    unknown: { icon: 'question', text: l10n.t('Disconnected') },
  };
}

function Outcome({ outcome }: { readonly outcome: EndOutcome }) {
  const { icon, text } = outcomes()[outcome];
  return (
    <span class={`outcome ${outcome}`}>
      <Icon name={icon} /> {text}
    </span>
  );
}
