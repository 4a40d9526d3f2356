import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import type { SpanDetails } from '../../../extension/panels/trace/messages.ts';
import { FeedbackForm } from '../../shared/feedback/feedback-form.tsx';
import { GivenList } from '../../shared/feedback/given.tsx';
import { useFocusBack } from '../../shared/focus-back.ts';
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
  const opener = useFocusBack<HTMLButtonElement>(isGiving);
  return (
    <section class="part feedback-part" aria-label={l10n.t('Feedback')}>
      <div class="part-head">
        <h3>{l10n.t('Feedback')}</h3>
        {!isGiving && (
          <button ref={opener} type="button" class="link" onClick={() => setGiving(true)}>
            {l10n.t('Give Feedback')}
          </button>
        )}
      </div>
      {details.feedback.length === 0 && !isGiving && <p class="muted">{l10n.t('None yet')}</p>}
      <GivenList feedback={details.feedback} />
      {isGiving && (
        <FeedbackForm
          keys={keys}
          firstKey={keys[0] ?? ''}
          output={details.outputs}
          onSend={(feedback) => store.did('feedback', { run_id: details.id, ...feedback })}
          onClose={() => setGiving(false)}
        />
      )}
    </section>
  );
}
