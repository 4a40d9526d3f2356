import './feedback-form.css';
import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { useId } from 'preact/hooks';
import { CorrectionField } from './correction-field.tsx';
import { MAX_KEY_LENGTH, withKey } from './feedback-input.ts';
import { ScoreField } from './score-field.tsx';
import { type FeedbackFormProps, useFeedbackDraft } from './use-feedback-draft.ts';

/** A form for feedback: a key, with a thumb or a score, a comment, and a correction. */
export function FeedbackForm({ keys, feedback, edited, output, onSend, onClose }: FeedbackFormProps) {
  const { draft, wrong, isSending, keyField, commentField, change, send } = useFeedbackDraft({
    keys,
    feedback,
    edited,
    output,
    onSend,
    onClose,
  });
  const id = useId();
  const sendOnEnter = (event: KeyboardEvent): void => {
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
      <KeyField
        field={keyField}
        value={draft.key}
        keys={keys}
        isFixed={edited !== undefined}
        isInvalid={wrong?.field === 'key'}
        onInput={(typed) => change(withKey(draft, typed, feedback))}
        onKeyDown={sendOnEnter}
      />
      <label for={`${id}-score`}>{l10n.t('Score')}</label>
      <ScoreField
        id={`${id}-score`}
        value={draft.score}
        isInvalid={wrong?.field === 'score'}
        onInput={(score) => change({ score })}
        onKeyDown={sendOnEnter}
      />
      <label for={`${id}-comment`}>{l10n.t('Comment')}</label>
      <textarea
        ref={commentField}
        id={`${id}-comment`}
        rows={1}
        value={draft.comment}
        placeholder={l10n.t('Comment (optional)')}
        onInput={(event) => change({ comment: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (!event.shiftKey) sendOnEnter(event);
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

interface KeyFieldProps {
  readonly field: RefObject<HTMLInputElement>;
  readonly value: string;
  readonly keys: readonly string[];
  readonly isFixed: boolean;
  readonly isInvalid: boolean;
  readonly onInput: (key: string) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** The key of the feedback: one of the suggested keys, or any other. */
function KeyField({ field, value, keys, isFixed, isInvalid, onInput, onKeyDown }: KeyFieldProps) {
  const id = useId();
  return (
    <>
      <label for={`${id}-key`}>{l10n.t('Key')}</label>
      <input
        ref={field}
        id={`${id}-key`}
        type="text"
        list={`${id}-keys`}
        maxLength={MAX_KEY_LENGTH}
        readOnly={isFixed}
        value={value}
        aria-invalid={isInvalid}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <datalist id={`${id}-keys`}>
        {keys.map((key) => (
          <option key={key} value={key} />
        ))}
      </datalist>
    </>
  );
}
