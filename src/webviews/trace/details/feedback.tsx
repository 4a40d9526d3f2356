import './feedback.css';
import * as l10n from '@vscode/l10n';
import type { SpanDetails } from '../../../extension/panels/trace/messages.ts';
import { FeedbackArea } from '../../shared/feedback/feedback-area.tsx';
import type { PanelProps } from '../panel-props.ts';

interface FeedbackSectionProps {
  readonly details: SpanDetails;
  /** The suggested keys. */
  readonly keys: readonly string[];
  readonly store: PanelProps['store'];
}

/** The feedback of a span, with a form for giving more. */
export function FeedbackSection({ details, keys, store }: FeedbackSectionProps) {
  const { id: run_id, feedback, outputs } = details;
  return (
    <section class="part feedback-part" aria-label={l10n.t('Feedback')}>
      <FeedbackArea
        feedback={feedback}
        listed={feedback}
        keys={keys}
        output={outputs}
        onSend={(given) => store.did('feedback', { run_id, ...given })}
        onDelete={(feedback_id) => void store.ask('deleteFeedback', { run_id, feedback_id })}
      >
        {(opener) => (
          <>
            <div class="part-head">
              <h3>{l10n.t('Feedback')}</h3>
              {opener}
            </div>
            {feedback.length === 0 && opener !== false && <p class="muted">{l10n.t('None yet')}</p>}
          </>
        )}
      </FeedbackArea>
    </section>
  );
}
