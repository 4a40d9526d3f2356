import './tree.css';
import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { ErrorBoundary } from '../shared/error-boundary.tsx';
import { Icon } from '../shared/icon.tsx';
import { Axis, GridLines } from './axis.tsx';
import { Minimap } from './minimap.tsx';
import type { PanelProps } from './panel-props.ts';
import { SpanRow } from './row.tsx';
import type { Row } from './rows.ts';
import type { TracePanelStore } from './store.ts';
import { keyAction } from './tree-keys.ts';

/** The height of a row in pixels, as in the stylesheet. */
const ROW_HEIGHT = 24;

/** The spans as a tree, each with its bar on the time axis; only visible rows are rendered. */
export function Tree({ store, view }: PanelProps) {
  const { rows, selected, trace, saved } = view;
  const list = useRef<VirtualizerHandle>(null);
  const tree = useRef<HTMLDivElement>(null);
  const previousIndex = useRef(0);
  const index = useMemo(() => rows.findIndex(({ node }) => node === selected), [rows, selected]);

  // The selected row stays visible, even when something is expanded above it, or the webview was just opened.
  useEffect(() => {
    if (index >= 0 && list.current !== null) reveal(list.current, index, previousIndex.current);
    previousIndex.current = index;
  }, [saved.selected, index >= 0, saved.query, saved.only_errors]);
  // The tree takes the focus when the panel has it, so that its keys work at once.
  useEffect(() => {
    const focus = () => {
      if (document.hasFocus() && document.activeElement === document.body) tree.current?.focus();
    };
    focus();
    addEventListener('focus', focus);
    return () => removeEventListener('focus', focus);
  }, []);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const pageSize = Math.max(1, Math.floor((list.current?.viewportSize ?? 0) / ROW_HEIGHT) - 1);
    if (act(store, index, event.key, pageSize)) event.preventDefault();
  };
  const height = useHeight(tree);
  const isLong = height > 0 && rows.length * ROW_HEIGHT > height;
  const hasTokens = (trace.root?.tokens ?? 0) > 0;
  const hasCost = hasTokens && (trace.root?.cost ?? 0) > 0;
  return (
    <section
      class={`waterfall${hasTokens ? '' : ' without-tokens'}${hasCost ? '' : ' without-cost'}${isLong ? ' long' : ''}`}
      aria-label={l10n.t('Waterfall')}
    >
      <Axis trace={trace} hasTokens={hasTokens} hasCost={hasCost} />
      {rows.length === 0 && <Nothing view={view} store={store} />}
      <div
        ref={tree}
        class="tree"
        role="treegrid"
        tabIndex={0}
        aria-label={l10n.t('Spans')}
        aria-activedescendant={index >= 0 ? rowId(selected?.span.id) : undefined}
        onKeyDown={onKeyDown}
      >
        <GridLines trace={trace} />
        {isLong && <Minimap rows={rows} trace={trace} selected={index} tree={tree} height={height} />}
        <Virtualizer
          ref={list}
          data={rows}
          itemSize={ROW_HEIGHT}
          keepMounted={index >= 0 ? [index] : []}
          bufferSize={ROW_HEIGHT * 12}
        >
          {(row: Row) => (
            <ErrorBoundary key={row.node.span.id} of={row.node.span}>
              <SpanRow
                id={rowId(row.node.span.id)}
                row={row}
                trace={trace}
                query={saved.query}
                isSelected={row.node === selected}
                store={store}
              />
            </ErrorBoundary>
          )}
        </Virtualizer>
      </div>
    </section>
  );
}

/** Scrolls a row into view: as little as needed if it is near the previous one, else to the middle of the view. */
function reveal(list: VirtualizerHandle, index: number, previous: number): void {
  const { scrollOffset, viewportSize } = list;
  const top = index * ROW_HEIGHT;
  const isSeen = scrollOffset <= top && top + ROW_HEIGHT <= scrollOffset + viewportSize;
  const isNear = Math.abs(index - previous) * ROW_HEIGHT < viewportSize;
  list.scrollToIndex(index, { align: isSeen || isNear ? 'nearest' : 'center' });
}

/** The visible height of an element; 0 until it is known. */
function useHeight(element: RefObject<HTMLElement>): number {
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = () => setHeight(current.clientHeight);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return height;
}

function rowId(spanId: string | undefined): string {
  return `span-${spanId ?? ''}`;
}

/** Carries out the action of a key. @returns whether the key has one */
function act(store: TracePanelStore, index: number, key: string, pageSize: number): boolean {
  const { rows, trace } = store.view;
  const action = keyAction(rows, index, key, pageSize);
  switch (action?.type) {
    case undefined:
      return false;
    case 'select': {
      const row = rows[action.index];
      if (row !== undefined) store.select(row.node.span.id);
      return true;
    }
    case 'fold':
      store.fold([action.id]);
      return true;
    case 'unfold':
      store.unfold([action.id]);
      return true;
    case 'unfold-siblings': {
      const siblings = trace.nodes.get(action.id)?.parent?.children ?? [];
      store.unfold(siblings.map(({ span }) => span.id));
      return true;
    }
  }
}

function Nothing({ store, view }: PanelProps) {
  const { loaded, trace, problem } = view;
  if (!loaded) {
    // The problem is shown above.
    if (problem !== undefined) return null;
    return (
      <div class="empty late">
        <Icon name="loading" spin />
        <p>{l10n.t('Reading the trace…')}</p>
      </div>
    );
  }
  if (trace.root === undefined) {
    return (
      <div class="empty">
        <Icon name="pulse" />
        <p>{l10n.t('Trace not found. It may have been purged, or its spans have not arrived yet.')}</p>
        <vscode-button secondary onClick={() => void store.open()}>
          {l10n.t('Check Again')}
        </vscode-button>
      </div>
    );
  }
  return (
    <div class="empty">
      <Icon name="search" />
      <p>{l10n.t('No matching spans.')}</p>
      <vscode-button secondary onClick={() => store.show({ query: '', only_errors: false })}>
        {l10n.t('Show All')}
      </vscode-button>
    </div>
  );
}
