import './feedback-form.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { GivenFeedback } from '../../../extension/panels/feedback.ts';
import { CorrectionField } from './correction-field.tsx';
import {
  type FeedbackDraft,
  type FeedbackField,
  type FeedbackInput,
  feedbackDraft,
  ownFeedback,
  readFeedback,
  underKey,
} from './feedback-input.ts';
import { ScoreField } from './score-field.tsx';

interface FeedbackFormProps {
  /** Keys usually asked for; any other can be typed. */
  readonly keys: readonly string[];
  /** The feedback so far: a record of this person under a key is changed, not added again. */
  readonly feedback: readonly GivenFeedback[];
  /** The record to change; its key stays. */
  readonly edited: GivenFeedback | undefined;
  /** The output, for a correction to begin with. */
  readonly output: unknown;
  /** @returns whether it was taken. */
  readonly onSend: (feedback: FeedbackInput) => Promise<boolean>;
  readonly onClose: () => void;
}

/** Room for feedback of any kind: a thumb or a score, a comment and a correction, under any key. */
export function FeedbackForm({ keys, feedback, edited, output, onSend, onClose }: FeedbackFormProps) {
  const [firstKey = ''] = edited === undefined ? keys : [edited.key];
  const [draft, setDraft] = useState<FeedbackDraft>(() =>
    feedbackDraft(firstKey, edited ?? ownFeedback(feedback, firstKey)),
  );
  const [wrong, setWrong] = useState<{ field: FeedbackField; problem: string } | undefined>(undefined);
  const [isSending, setSending] = useState(false);
  const comment = useRef<HTMLTextAreaElement>(null);
  const key = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => (firstKey === '' ? key : comment).current?.focus(), [firstKey]);
  const change = (part: Partial<FeedbackDraft>): void => {
    setDraft({ ...draft, ...part });
    setWrong(undefined);
  };
  const send = async (): Promise<void> => {
    if (isSending) return;
    const read = readFeedback(draft, output);
    if ('problem' in read) {
      setWrong(read);
      return;
    }
    setSending(true);
    const replaced = edited ?? ownFeedback(feedback, read.feedback.key);
    const wasTaken = await onSend({
      ...read.feedback,
      ...(replaced && replaced.isFixed !== true && { replaces: replaced.id }),
    });
    setSending(false);
    if (wasTaken) onClose();
  };
  const sendsOn = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    void send();
  };
  return (
    <form
      class="give"
      aria-label={l10n.t('Give Feedback')}
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
        ref={key}
        id={`${id}-key`}
        type="text"
        list={`${id}-keys`}
        maxLength={180}
        readOnly={edited !== undefined}
        value={draft.key}
        aria-invalid={wrong?.field === 'key'}
        onInput={(event) => change(underKey(draft, event.currentTarget.value, feedback))}
        onKeyDown={sendsOn}
      />
      <datalist id={`${id}-keys`}>
        {keys.map((key) => (
          <option key={key} value={key} />
        ))}
      </datalist>
      <label for={`${id}-score`}>{l10n.t('Score')}</label>
      <ScoreField
        id={`${id}-score`}
        value={draft.score}
        isInvalid={wrong?.field === 'score'}
        onInput={(score) => change({ score })}
        onKeyDown={sendsOn}
      />
      <label for={`${id}-comment`}>{l10n.t('Comment')}</label>
      <textarea
        ref={comment}
        id={`${id}-comment`}
        rows={1}
        value={draft.comment}
        placeholder={l10n.t('Comment (optional)')}
        onInput={(event) => change({ comment: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (!event.shiftKey) sendsOn(event);
        }}
      />
      <span class="label">{l10n.t('Correction')}</span>
      <CorrectionField
        value={draft.correction}
        output={output}
        problem={wrong?.field === 'correction' ? wrong.problem : undefined}
        onInput={(correction) => change({ correction })}
        onSubmit={() => void send()}
      />
      {wrong !== undefined && wrong.field !== 'correction' && (
        <p class="invalid" role="alert">
          {wrong.problem}
        </p>
      )}
      <div class="buttons">
        <vscode-button type="button" disabled={isSending} onClick={() => void send()}>
          {edited === undefined ? l10n.t('Send') : l10n.t('Save')}
        </vscode-button>
        <vscode-button type="button" secondary onClick={onClose}>
          {l10n.t('Cancel')}
        </vscode-button>
      </div>
    </form>
  );
}
