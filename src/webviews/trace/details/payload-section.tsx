import * as l10n from '@vscode/l10n';
import { useMemo, useState } from 'preact/hooks';
import { isDictionary } from '../../../terms/fields.ts';
import type { MissingContent } from '../../../terms/missing-content.ts';
import { readPayload } from '../../../terms/payload.ts';
import { CopyButton } from '../../shared/copy-button.tsx';
import { ErrorBoundary } from '../../shared/error-boundary.tsx';
import { JsonTree } from '../../shared/json-tree.tsx';
import { size } from '../../shared/size.ts';
import { toText } from '../../shared/to-text.ts';
import type { PanelProps } from '../panel-props.ts';
import { Collapsible } from './collapsible.tsx';
import { DetailProse } from './detail-prose.tsx';
import { MessageView } from './message.tsx';

interface PayloadSectionProps {
  readonly title: string;
  readonly value: unknown;
  /** If the value was not recorded: the attribute that it would come from, and the setting that records it. */
  readonly missing?: MissingContent | undefined;
  /** Whether the span has no input of its own, and `value` comes from the tool call in a model's message. */
  readonly isInferred?: boolean | undefined;
  readonly runId: string;
  readonly name: string;
  readonly store: PanelProps['store'];
}

/** An input or output, shown as messages or text where possible, and as JSON. */
export function PayloadSection(props: PayloadSectionProps) {
  const { title, value, missing, isInferred, runId, name, store } = props;
  const [asJson, setAsJson] = useState(false);
  const payload = useMemo(() => readPayload(value), [value]);
  const oversized = isDictionary(value) ? value.oversized_bytes : undefined;
  const canRender = payload.messages.length > 0 || proseOf(payload.rest) !== undefined;
  return (
    <section class="part copyable" aria-label={title}>
      <div class="part-head">
        <h3>{title}</h3>
        {isInferred && <span class="muted">{l10n.t('Inferred from the model’s message')}</span>}
        <span class="grow" />
        <CopyButton kind="json" text={() => toText(value, 2)} label={l10n.t('Copy {0}', title)} />
        {canRender && (
          <button type="button" class="link" aria-pressed={asJson} onClick={() => setAsJson(!asJson)}>
            {asJson ? l10n.t('Rendered') : l10n.t('JSON')}
          </button>
        )}
      </div>
      {missing !== undefined ? (
        <Missing missing={missing} />
      ) : typeof oversized === 'number' ? (
        <p class="muted">
          {l10n.t('This payload is too large to show here ({0}).', size(oversized))}{' '}
          <button
            type="button"
            class="link"
            onClick={() => void store.ask('openSpan', { run_id: runId, name })}
          >
            {l10n.t('Open as JSON')}
          </button>
        </p>
      ) : (
        <Collapsible label={title}>
          {asJson ? <JsonTree value={value} /> : <Rendered payload={payload} store={store} />}
        </Collapsible>
      )}
    </section>
  );
}

/** Says why a value is missing, and how to record it. */
function Missing({ missing: { attribute, switch: how } }: { readonly missing: MissingContent }) {
  return (
    <p class="muted">
      {l10n.t('Not recorded: the span has no attribute {0}. To record it, set:', attribute)}{' '}
      <code>{how}</code>
    </p>
  );
}

interface RenderedProps {
  readonly payload: ReturnType<typeof readPayload>;
  readonly store: PanelProps['store'];
}

function Rendered({ payload: { messages, rest }, store }: RenderedProps) {
  const prose = proseOf(rest);
  return (
    <>
      {messages.map((message, index) => (
        <ErrorBoundary key={message.id ?? index} of={message}>
          <MessageView message={message} store={store} />
        </ErrorBoundary>
      ))}
      <ErrorBoundary of={rest}>
        {prose !== undefined ? (
          <DetailProse text={prose} />
        ) : (
          <Rest value={rest} isAlone={messages.length === 0} />
        )}
      </ErrorBoundary>
    </>
  );
}

function Rest({ value, isAlone }: { readonly value: unknown; readonly isAlone: boolean }) {
  if (isNothing(value)) return isAlone ? <p class="muted">{l10n.t('Empty')}</p> : null;
  return <JsonTree value={value} />;
}

/** The string in a payload that has nothing else: functions that return a string are traced in this way. */
function proseOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!isDictionary(value)) return undefined;
  const values = Object.values(value);
  const keys = Object.keys(value);
  const [only] = values;
  return values.length === 1 &&
    ['output', 'input', 'text', 'answer'].includes(keys[0] ?? '') &&
    typeof only === 'string'
    ? only
    : undefined;
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || (isDictionary(value) && Object.keys(value).length === 0);
}
