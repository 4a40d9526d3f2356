import * as l10n from '@vscode/l10n';
import type { SpanDetails } from '../../../extension/panels/trace/messages.ts';
import { runTypeIcon } from '../../../terms/run-type-icon.ts';
import { Action } from '../../shared/action.tsx';
import { duration } from '../../shared/duration.ts';
import { Icon } from '../../shared/icon.tsx';
import { billText, spanCostText } from '../cost-text.ts';
import type { PanelProps } from '../panel-props.ts';
import { statusIcon, typeClass } from '../span-icons.ts';
import type { SpanNode } from '../waterfall.ts';

/** The name of the selected span, its actions, and facts such as its status, time, tokens and cost. */
export function Heading({ node, view, store }: PanelProps & { readonly node: SpanNode }) {
  const { details, places } = view;
  const { span, tokens } = node;
  const { id: run_id, name, status, type } = span;
  const look = statusIcon(status);
  const source = places?.source;
  return (
    <div class="heading">
      <div class="title">
        <span class={`icon ${typeClass(type)}`}>
          <Icon name={runTypeIcon(type)} />
        </span>
        <h2 title={name}>{name}</h2>
        <div class="toolbar" role="toolbar" aria-label={l10n.t('Span')}>
          {source !== undefined && (
            <Action
              icon="go-to-file"
              label={l10n.t('Go to Source of {0} (F12)', source)}
              onClick={() => details && store.ask('openSource', details.origin)}
            />
          )}
          {places?.has_thread && (
            <Action
              icon="comment-discussion"
              label={l10n.t('Open Thread')}
              onClick={() => details && store.ask('openThread', details.origin)}
            />
          )}
          {details?.has_node && !view.head?.is_read_only && (
            <Action
              icon="play"
              label={l10n.t('Run This Node')}
              onClick={() => store.ask('runNode', { run_id })}
            />
          )}
          <Action
            icon="json"
            label={l10n.t('Open as JSON')}
            onClick={() => store.ask('openSpan', { run_id, name })}
          />
          <Action icon="copy" label={l10n.t('Copy ID')} onClick={() => store.ask('copyId', { run_id })} />
        </div>
      </div>
      <p class="facts">
        <span class={`status ${status}`}>
          <Icon name={look.icon} spin={status === 'pending'} /> {look.text}
        </span>
        <span>{type}</span>
        {span.end !== undefined && <span>{duration(span.end - span.start)}</span>}
        {tokens > 0 && (
          <span title={tokenSplit(details)}>{l10n.t('{0} tokens', tokens.toLocaleString())}</span>
        )}
        {spanCostText(node) !== '' && <span title={billText(details?.price)}>{spanCostText(node)}</span>}
        {details?.first_token !== undefined && (
          <span>{l10n.t('first token after {0}', duration(details.first_token - span.start))}</span>
        )}
      </p>
    </div>
  );
}

function tokenSplit(details: SpanDetails | undefined): string | undefined {
  if (details?.prompt_tokens === undefined && details?.completion_tokens === undefined) return undefined;
  return l10n.t('{0} in, {1} out', details.prompt_tokens ?? 0, details.completion_tokens ?? 0);
}
