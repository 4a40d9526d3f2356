import './row.css';
import * as l10n from '@vscode/l10n';
import { memo } from 'preact/compat';
import { money } from '../../terms/money.ts';
import { runTypeIcon } from '../../terms/run-type-icon.ts';
import { duration } from '../shared/duration.ts';
import { Icon } from '../shared/icon.tsx';
import { spanCostText } from './cost-text.ts';
import type { Row } from './rows.ts';
import { shortCount } from './short-count.ts';
import { statusIcon, typeClass } from './span-icons.ts';
import type { TracePanelStore } from './store.ts';
import { barOf, isHandled, type SpanNode, type Trace } from './waterfall.ts';

/** Deeper rows are not indented any further, because there would be no room for names. */
const MAX_INDENT = 24;

/** The attributes of a cell. Cells are not in a table, which would lay out all rows. */
const cell = { role: 'gridcell' } as const;

interface SpanRowProps {
  readonly id: string;
  readonly row: Row;
  readonly trace: Trace;
  readonly query: string;
  readonly isSelected: boolean;
  readonly store: TracePanelStore;
}

/** The row of a span: its name, tokens, cost, time, and its bar on the time axis. */
export const SpanRow = memo(function SpanRow({ id, row, trace, query, isSelected, store }: SpanRowProps) {
  const { node, isUnfolded, matches } = row;
  const { span, level, failedBelow, handles } = node;
  const isFolded = isUnfolded === false;
  const toggle = () => (isUnfolded ? store.fold([span.id]) : store.unfold([span.id]));
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys
    // biome-ignore lint/a11y/useSemanticElements: a table would lay out all of its rows
    <div
      id={id}
      class={`span ${lookOf(node)}${isSelected ? ' selected' : ''}${matches ? '' : ' context'}`}
      role="row"
      tabIndex={-1}
      aria-level={level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-selected={isSelected}
      aria-expanded={isUnfolded}
      title={titleOf(node)}
      data-vscode-context={JSON.stringify({
        webviewSection: 'span',
        spanId: span.id,
        spanFailed: span.status === 'error',
      })}
      onClick={({ target }) => {
        const onTwistie = target instanceof Element && target.closest('.twistie') !== null;
        if (onTwistie && isUnfolded !== undefined) toggle();
        else store.select(span.id);
      }}
      onDblClick={() => isUnfolded !== undefined && toggle()}
    >
      <span class="name" {...cell} style={{ '--level': String(Math.min(level, MAX_INDENT) - 1) }}>
        <span class="twistie">
          {isUnfolded !== undefined && <Icon name={isUnfolded ? 'chevron-down' : 'chevron-right'} />}
        </span>
        <SpanIcon node={node} />
        <span class="label">
          <Marked text={span.name} query={query} />
        </span>
        <span class="for-screen-readers">{kindOf(node)}</span>
        {isFolded && failedBelow && (
          <span class={`failed-below${handles ? ' handled' : ''}`} title={failureBelow(node)} />
        )}
        {span.feedback !== undefined && (
          <span class="given" title={span.feedback.join(', ')}>
            <Icon name="feedback" />
          </span>
        )}
      </span>
      <span class="tokens" {...cell}>
        {node.tokens > 0 && (
          <>
            {shortCount(node.tokens)}
            <span class="for-screen-readers"> {l10n.t('tokens')}</span>
          </>
        )}
      </span>
      <span class="cost" {...cell}>
        {node.cost > 0 ? money(node.cost) : node.unpriced > 0 ? '–' : ''}
      </span>
      <span class="time" {...cell}>
        {span.end === undefined ? '…' : duration(span.end - span.start)}
      </span>
      <Bar node={node} trace={trace} />
    </div>
  );
});

function SpanIcon({ node }: { readonly node: SpanNode }) {
  const { status, type } = node.span;
  return (
    <span class={`icon ${lookOf(node)} ${typeClass(type)}`}>
      {status === 'success' ? (
        <Icon name={runTypeIcon(type)} />
      ) : (
        <Icon name={statusIcon(status).icon} spin={status === 'pending'} />
      )}
    </span>
  );
}

function Bar({ node, trace }: Pick<SpanRowProps, 'trace'> & { readonly node: SpanNode }) {
  const { span } = node;
  const { left, width } = barOf(span, trace);
  return (
    <span class="lane" aria-hidden="true">
      <span
        class={`bar ${lookOf(node)} ${typeClass(span.type)}`}
        style={{ left: `${(left * 100).toFixed(3)}%`, width: `${(width * 100).toFixed(3)}%` }}
      />
    </span>
  );
}

/** A name with the searched text marked. */
function Marked({ text, query }: { readonly text: string; readonly query: string }) {
  const wanted = query.trim().toLowerCase();
  const at = wanted === '' ? -1 : text.toLowerCase().indexOf(wanted);
  if (at < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + wanted.length)}</mark>
      {text.slice(at + wanted.length)}
    </>
  );
}

/** The CSS classes of a span's status. A failure that was handled looks different from one that ended the run. */
function lookOf(node: SpanNode): string {
  const { status } = node.span;
  return status === 'error' && isHandled(node) ? 'error handled' : status;
}

function failureBelow({ handles }: SpanNode): string {
  return handles ? l10n.t('A child span failed, and the failure was handled') : l10n.t('A child span failed');
}

/** The icon in words, for screen readers. */
function kindOf(node: SpanNode): string {
  const { span, failedBelow } = node;
  const handled = span.status === 'error' && isHandled(node) ? l10n.t('handled') : '';
  const below = failedBelow ? failureBelow(node) : '';
  return [span.type, statusIcon(span.status).text, handled, below].filter(Boolean).join(', ');
}

function titleOf(node: SpanNode): string {
  const { span } = node;
  const facts = [span.name, span.type, spanCostText(node)].filter(Boolean).join(' · ');
  return span.status === 'error' && span.error !== undefined ? `${facts}\n${span.error}` : facts;
}
