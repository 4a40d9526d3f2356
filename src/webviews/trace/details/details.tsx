import './details.css';
import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import type { SpanDetails } from '../../../extension/panels/trace/messages.ts';
import { ErrorBoundary } from '../../shared/error-boundary.tsx';
import { Icon } from '../../shared/icon.tsx';
import { JsonTree } from '../../shared/json-tree.tsx';
import type { PanelProps } from '../panel-props.ts';
import type { SpanNode } from '../waterfall.ts';
import { ErrorCard } from './error-card.tsx';
import { FeedbackSection } from './feedback.tsx';
import { Heading } from './heading.tsx';
import { PayloadSection } from './payload-section.tsx';

/** The selected span: its heading, error, inputs and outputs, feedback, tags and metadata. */
export function Details({ store, view }: PanelProps) {
  const { selected, details, detailsProblem } = view;
  if (selected === undefined) return <section class="details" aria-label={l10n.t('Selected span')} />;
  const { id, name } = selected.span;
  return (
    <section class="details" aria-label={l10n.t('Selected span')}>
      <Heading node={selected} view={view} store={store} />
      <div key={id} class="body" tabIndex={-1}>
        {details === undefined && detailsProblem === undefined && (
          <p class="muted late">
            <Icon name="loading" spin /> {l10n.t('Reading inputs and outputs…')}
          </p>
        )}
        {detailsProblem !== undefined && <p class="failed">{detailsProblem}</p>}
        {details !== undefined && (
          <>
            <ErrorBoundary of={details.error}>
              <ErrorCard error={details.error} status={selected.span.status} store={store} />
            </ErrorBoundary>
            {payloadsOf(selected, details).map((payload) => (
              <PayloadSection key={payload.title} {...payload} runId={id} name={name} store={store} />
            ))}
            <ErrorBoundary of={details.feedback}>
              {view.head?.is_read_only ? (
                <GivenFeedback details={details} />
              ) : (
                <FeedbackSection details={details} keys={view.head?.feedback_keys ?? []} store={store} />
              )}
            </ErrorBoundary>
            <ErrorBoundary of={details}>
              <More details={details} />
            </ErrorBoundary>
          </>
        )}
      </div>
    </section>
  );
}

/** The props of the sections for input and output. For model calls and failures, the output comes first. */
function payloadsOf(node: SpanNode, details: SpanDetails) {
  const { missing, inputs_inferred: isInferred } = details;
  const input = { title: l10n.t('Input'), value: details.inputs, missing: missing?.inputs, isInferred };
  if (!showsOutput(node, details)) return [input];
  const output = { title: l10n.t('Output'), value: details.outputs, missing: missing?.outputs };
  const { type, status } = node.span;
  return type === 'llm' || status === 'error' ? [output, input] : [input, output];
}

/** Whether the output is shown. Failed and running spans usually have none. */
function showsOutput({ span }: SpanNode, { outputs }: SpanDetails): boolean {
  return span.status === 'success' || (outputs !== null && outputs !== undefined);
}

/** The feedback of a trace in a file, which is read-only. */
function GivenFeedback({ details: { feedback } }: { readonly details: SpanDetails }) {
  if (feedback.length === 0) return null;
  return (
    <Section title={l10n.t('Feedback')}>
      <JsonTree value={feedback.map(({ id: _, isOwn: _own, isFixed: _fixed, ...given }) => given)} />
    </Section>
  );
}

function More({ details }: { readonly details: SpanDetails }) {
  const { metadata, tags } = details;
  return (
    <>
      {tags.length > 0 && (
        <Section title={l10n.t('Tags')}>
          <ul class="tags">
            {tags.map((tag) => (
              <li key={tag}>{tag}</li>
            ))}
          </ul>
        </Section>
      )}
      {Object.keys(metadata).length > 0 && (
        <Section title={l10n.t('Metadata')}>
          <JsonTree value={metadata} />
        </Section>
      )}
    </>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="part" aria-label={title}>
      <div class="part-head">
        <h3>{title}</h3>
      </div>
      {children}
    </section>
  );
}
