import './feedback-list.css';
import * as l10n from '@vscode/l10n';
import type { GivenFeedback } from '../../../extension/panels/feedback.ts';
import { Action } from '../action.tsx';
import { Icon } from '../icon.tsx';
import { Json } from '../json.tsx';

interface FeedbackListProps {
  readonly feedback: readonly GivenFeedback[];
  readonly onEdit: (feedback: GivenFeedback) => void;
  readonly onDelete: (feedback: GivenFeedback) => void;
}

/** The feedback of a run or span, one line each, with buttons to edit and delete it. */
export function FeedbackList({ feedback, onEdit, onDelete }: FeedbackListProps) {
  if (feedback.length === 0) return null;
  return (
    <ul class="feedback-list" aria-label={l10n.t('Feedback')}>
      {feedback.map((one) => (
        <li key={one.id}>
          <Given feedback={one} />
          {one.isFixed !== true && (
            <span class="given-actions">
              <Action icon="edit" label={l10n.t('Edit Feedback {0}', one.key)} onClick={() => onEdit(one)} />
              <Action
                icon="trash"
                label={l10n.t('Delete Feedback {0}', one.key)}
                onClick={() => onDelete(one)}
              />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Given({ feedback }: { readonly feedback: GivenFeedback }) {
  const { key, score, value, comment, correction } = feedback;
  return (
    <>
      <Icon name={iconOf(feedback)} />
      <span class="key">{key}</span>
      {score !== undefined && <span class="score">{String(score)}</span>}
      {value !== undefined && <span>{typeof value === 'string' ? value : JSON.stringify(value)}</span>}
      {comment !== undefined && <q>{comment}</q>}
      {correction !== undefined && (
        <details class="correction">
          <summary>{l10n.t('Correction')}</summary>
          <Json value={correction} />
        </details>
      )}
    </>
  );
}

function iconOf({ score, comment, correction }: GivenFeedback): string {
  if (score === 1 || score === true) return 'thumbsup-filled';
  if (score === 0 || score === false) return 'thumbsdown-filled';
  if (score === undefined && comment !== undefined) return 'comment';
  return score === undefined && correction !== undefined ? 'replace' : 'feedback';
}
