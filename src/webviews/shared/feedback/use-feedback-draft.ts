import { useEffect, useRef, useState } from 'preact/hooks';
import type { GivenFeedback } from '../../../extension/panels/feedback.ts';
import {
  type FeedbackDraft,
  type FeedbackInput,
  type FeedbackProblem,
  feedbackDraft,
  ownFeedback,
  readFeedback,
} from './feedback-input.ts';

export interface FeedbackFormProps {
  /** The suggested keys; any other can be typed. */
  readonly keys: readonly string[];
  /** The feedback so far. The user's own feedback under the same key is replaced, not repeated. */
  readonly feedback: readonly GivenFeedback[];
  /** The feedback to edit, whose key cannot be changed; `undefined` for new feedback. */
  readonly edited: GivenFeedback | undefined;
  /** The output, as the initial value of a correction. */
  readonly output: unknown;
  /** @returns whether the feedback was accepted. */
  readonly onSend: (feedback: FeedbackInput) => Promise<boolean>;
  readonly onClose: () => void;
}

/**
 * The state of the feedback form: its draft, the first problem, the refs of its fields, and functions that change and
 * send the draft. At first, the comment has the focus, or the key if none is suggested.
 */
export function useFeedbackDraft({ keys, feedback, edited, output, onSend, onClose }: FeedbackFormProps) {
  const [firstKey = ''] = edited === undefined ? keys : [edited.key];
  const [draft, setDraft] = useState<FeedbackDraft>(() =>
    feedbackDraft(firstKey, edited ?? ownFeedback(feedback, firstKey)),
  );
  const [wrong, setWrong] = useState<FeedbackProblem | undefined>(undefined);
  const [isSending, setSending] = useState(false);
  const commentField = useRef<HTMLTextAreaElement>(null);
  const keyField = useRef<HTMLInputElement>(null);
  useEffect(() => (firstKey === '' ? keyField : commentField).current?.focus(), [firstKey]);
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
    const isAccepted = await onSend({
      ...read.feedback,
      ...(replaced && replaced.isFixed !== true && { replaces: replaced.id }),
    });
    setSending(false);
    if (isAccepted) onClose();
  };
  return { draft, wrong, isSending, keyField, commentField, change, send };
}
