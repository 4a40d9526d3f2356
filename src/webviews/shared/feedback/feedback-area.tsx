import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { GivenFeedback } from '../../../extension/panels/feedback.ts';
import { useFocusBack } from '../focus-back.ts';
import { FeedbackForm } from './feedback-form.tsx';
import type { FeedbackInput } from './feedback-input.ts';
import { GivenList } from './given.tsx';

interface FeedbackAreaProps {
  readonly feedback: readonly GivenFeedback[];
  /** Those of it that are listed; others are seen elsewhere. */
  readonly listed: readonly GivenFeedback[];
  /** The suggested keys. */
  readonly keys: readonly string[];
  /** The output, for a correction to begin with. */
  readonly output: unknown;
  /** @returns whether it was taken. */
  readonly onSend: (feedback: FeedbackInput) => Promise<boolean>;
  readonly onDelete: (id: string) => void;
  /** Draws what is above the list, with the button that opens the form, if it is not open. */
  readonly children: (opener: ComponentChildren) => ComponentChildren;
}

/** The feedback that a run or span was given, with room for more, and for changing it. */
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
      <GivenList
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
