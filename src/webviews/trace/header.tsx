import './header.css';
import * as l10n from '@vscode/l10n';
import type { SpanStatus } from '../../extension/panels/trace/messages.ts';
import { duration } from '../shared/duration.ts';
import { Icon } from '../shared/icon.tsx';
import { SearchField } from '../shared/search-field.tsx';
import { spanCostText } from './cost-text.ts';
import type { PanelProps } from './panel-props.ts';
import { statusIcon } from './span-icons.ts';
import { neighborOf, nextError, type Trace } from './waterfall.ts';

export function Header({ store, view }: PanelProps) {
  const { trace, loaded, head } = view;
  const { root } = trace;
  return (
    <header>
      <h1 title={head?.project && l10n.t('Project {0}', head.project)}>{root?.span.name ?? '…'}</h1>
      {root !== undefined && <Status status={trace.isPaused ? 'interrupted' : root.span.status} />}
      {root !== undefined && (
        <p class="facts">
          <span>{duration(trace.end - trace.start)}</span>
          <span>{spans(trace.nodes.size, loaded)}</span>
          {root.tokens > 0 && <span>{l10n.t('{0} tokens', root.tokens.toLocaleString())}</span>}
          {spanCostText(root) !== '' && <span>{spanCostText(root)}</span>}
          {head?.facts?.map((fact) => (
            <span key={fact}>{fact}</span>
          ))}
        </p>
      )}
      <span class="grow" />
      <Errors store={store} view={view} />
      <Search store={store} view={view} />
    </header>
  );
}

function spans(count: number, loaded: boolean): string {
  if (!loaded) return l10n.t('{0} spans so far…', count.toLocaleString());
  return count === 1 ? l10n.t('1 span') : l10n.t('{0} spans', count.toLocaleString());
}

function Status({ status }: { readonly status: SpanStatus }) {
  const { icon, text } = statusIcon(status);
  return (
    <span class={`status ${status}`}>
      <Icon name={icon} spin={status === 'pending'} /> {text}
    </span>
  );
}

function Errors({ store, view }: PanelProps) {
  const { trace, saved } = view;
  const { errors, handled } = trace;
  if (errors.length + handled.length === 0) return null;
  const goToNext = (among: Pick<Trace, 'errors' | 'handled'>) => {
    const error = nextError(among, saved.selected, 1);
    if (error !== undefined) store.select(error.span.id);
  };
  return (
    <div class="errors" role="toolbar" aria-label={l10n.t('Errors')}>
      {errors.length > 0 && (
        <button
          type="button"
          class="link failed"
          title={l10n.t('Go to Next Error (F8)')}
          onClick={() => goToNext({ errors, handled: [] })}
        >
          <Icon name="error" /> {countErrors(errors.length)}
        </button>
      )}
      {handled.length > 0 && (
        <button
          type="button"
          class="link handled"
          title={l10n.t('Go to Next Handled Error')}
          onClick={() => goToNext({ errors: [], handled })}
        >
          <Icon name="warning" /> {countHandled(handled.length)}
        </button>
      )}
      <vscode-toolbar-button
        icon="filter"
        label={l10n.t('Show Only Errors')}
        title={l10n.t('Show Only Errors')}
        toggleable
        checked={saved.only_errors}
        onClick={() => store.show({ only_errors: !saved.only_errors })}
      />
    </div>
  );
}

function countErrors(count: number): string {
  return count === 1 ? l10n.t('1 error') : l10n.t('{0} errors', count.toLocaleString());
}

/** The number, in words, of failures that a retry, a fallback or the surrounding code handled. */
function countHandled(count: number): string {
  return count === 1 ? l10n.t('1 handled error') : l10n.t('{0} handled errors', count.toLocaleString());
}

function Search({ store, view }: PanelProps) {
  const { query } = view.saved;
  const found = query.trim() === '' ? undefined : view.rows.filter(({ matches }) => matches);
  const selectMatch = (step: 1 | -1) => {
    const at = found?.findIndex(({ node }) => node === view.selected) ?? -1;
    const next = neighborOf(found ?? [], at, step);
    if (next !== undefined) store.select(next.node.span.id);
  };
  const count =
    found === undefined
      ? ''
      : found.length === 0
        ? l10n.t('none')
        : l10n.t('{0} found', found.length.toLocaleString());
  return (
    <SearchField
      query={query}
      placeholder={l10n.t('Find spans')}
      label={l10n.t('Find spans by name')}
      found={count}
      onSearch={(text) => store.show({ query: text })}
      onStep={selectMatch}
    />
  );
}
