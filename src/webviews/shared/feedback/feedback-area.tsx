import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { GivenFeedback } from '../../../extension/panels/feedback.ts';
import { useFocusBack } from '../focus-back.ts';
import { FeedbackForm } from './feedback-form.tsx';
import type { FeedbackInput } from './feedback-input.ts';
import { FeedbackList } from './feedback-list.tsx';

interface FeedbackAreaProps {
  readonly feedback: readonly GivenFeedback[];
  /** The part of `feedback` to list; the rest is shown elsewhere. */
  readonly listed: readonly GivenFeedback[];
  /** The suggested keys. */
  readonly keys: readonly string[];
  /** The output, as the initial value of a correction. */
  readonly output: unknown;
  /** @returns whether the feedback was accepted. */
  readonly onSend: (feedback: FeedbackInput) => Promise<boolean>;
  readonly onDelete: (id: string) => void;
  /** Draws the part above the list. `opener` is the button that opens the form; `false` while the form is open. */
  readonly children: (opener: ComponentChildren) => ComponentChildren;
}

/** The feedback of a run or span, with a form for adding and changing it. */
export function FeedbackArea({
  feedback,
  listed,
  keys,
  output,
  onSend,
  onDelete,
  children,
}: FeedbackAreaProps) {
  const [open, setOpen] = useState<'new' | GivenFeedback | undefined>(undefined);
  const opener = useFocusBack<HTMLButtonElement>(open !== undefined);
  const button = open === undefined && (
    <button ref={opener} type="button" class="link" onClick={() => setOpen('new')}>
      {l10n.t('Give Feedback')}
    </button>
  );
  return (
    <>
      {children(button)}
      <FeedbackList
        feedback={listed.filter((given) => given !== open)}
        onEdit={setOpen}
        onDelete={({ id }) => onDelete(id)}
      />
      {open !== undefined && (
        <FeedbackForm
          key={open === 'new' ? 'new' : open.id}
          keys={keys}
          feedback={feedback}
          edited={open === 'new' ? undefined : open}
          output={output}
          onSend={onSend}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}
