import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import type { GivenFeedback } from '../../../extension/panels/feedback.ts';
import type { RunOutcome } from '../../../extension/panels/run/messages.ts';
import { duration } from '../../shared/duration.ts';
import { FeedbackForm } from '../../shared/feedback/feedback-form.tsx';
import { GivenList } from '../../shared/feedback/given.tsx';
import { Thumb } from '../../shared/feedback/thumb.tsx';
import { useFocusBack } from '../../shared/focus-back.ts';
import { Icon } from '../../shared/icon.tsx';
import type { RowProps } from './row.tsx';

/** The end of a run: how it went, its trace, and what people think of it. */
export function RunEnd({ row, store }: RowProps<'end'>) {
  const { runId, outcome } = row;
  return (
    <footer>
      <div class="result">
        <Outcome outcome={outcome} />
        {row.durationMs !== undefined && <span class="muted">{duration(row.durationMs)}</span>}
        <button type="button" class="link" onClick={() => void store.ask('showTrace', { run_id: runId })}>
          {l10n.t('Show Trace')}
        </button>
      </div>
      {/* A run that only paused has been neither good nor bad yet. */}
      {outcome !== 'interrupted' && <Feedback row={row} store={store} />}
    </footer>
  );
}

function Feedback({ row, store }: RowProps<'end'>) {
  const [isGiving, setGiving] = useState(false);
  const opener = useFocusBack<HTMLButtonElement>(isGiving);
  const { runId: run_id, feedbackKeys: keys, feedback } = row;
  return (
    <article class="feedback" aria-label={l10n.t('Feedback')}>
      <div class="thumbs">
        {keys.map((key) => (
          <KeyBar
            key={key}
            name={key}
            score={feedback.findLast((given) => given.key === key && given.score !== undefined)?.score}
            onRate={(score) => void store.ask('feedback', { run_id, key, score })}
          />
        ))}
        {!isGiving && (
          <button ref={opener} type="button" class="link" onClick={() => setGiving(true)}>
            {l10n.t('Give Feedback')}
          </button>
        )}
      </div>
      <GivenList feedback={feedback.filter((given) => !isOnlyThumb(given, keys))} />
      {isGiving && (
        <FeedbackForm
          keys={keys}
          firstKey={keys[0] ?? ''}
          output={row.output}
          onSend={(given) => store.did('feedback', { run_id, ...given })}
          onClose={() => setGiving(false)}
        />
      )}
    </article>
  );
}

interface KeyBarProps {
  readonly name: string;
  readonly score: GivenFeedback['score'];
  readonly onRate: (score: number) => void;
}

function KeyBar({ name, score, onRate }: KeyBarProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <span class="key-bar" role="group" aria-label={l10n.t('Feedback {0}', name)}>
      <span class="muted">{name}</span>
      <Thumb
        icon="thumbsup"
        label={l10n.t('Good answer')}
        pressed={score === 1 || score === true}
        onClick={() => onRate(1)}
      />
      <Thumb
        icon="thumbsdown"
        label={l10n.t('Bad answer')}
        pressed={score === 0 || score === false}
        onClick={() => onRate(0)}
      />
    </span>
  );
}

/** What the pressed thumb says already. */
function isOnlyThumb(
  { key, score, value, comment, correction }: GivenFeedback,
  keys: readonly string[],
): boolean {
  const isThumb = score === 0 || score === 1 || typeof score === 'boolean';
  return (
    isThumb && keys.includes(key) && value === undefined && comment === undefined && correction === undefined
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
