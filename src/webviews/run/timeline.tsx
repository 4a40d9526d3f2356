import './timeline.css';
import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { Icon } from '../shared/icon.tsx';
import type { PanelProps } from './panel-props.ts';
import { RowView } from './rows/row.tsx';
import type { Row } from './transcript-model.ts';

/** Within this distance of the end, the list follows new rows. */
const NEAR_END_PIXELS = 48;

/** Saves the scroll position when scrolling stops. */
const KEEP_AFTER_MS = 150;

/** The rows of the transcript; only those in sight are in the document. */
export function Timeline({ store, view }: PanelProps) {
  const { transcript, saved } = view;
  const list = useRef<VirtualizerHandle>(null);
  const saving = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const follows = useRef(true);
  const before = useRef({ top: 0, sizes: '' });

  const rows = useMemo((): readonly Row[] => {
    const shown = saved.steps
      ? transcript.rows
      : transcript.rows.filter((row) => row.kind !== 'step' && row.kind !== 'custom' && row.kind !== 'event');
    if (transcript.values === undefined) return shown;
    return [...shown, { kind: 'state', id: 'values', values: transcript.values }];
  }, [transcript, saved.steps]);

  const runId = useRef(transcript.runId);
  useLayoutEffect(() => {
    // Scrolls to the end when a run starts.
    if (runId.current !== transcript.runId) follows.current = true;
    runId.current = transcript.runId;
    if (follows.current && rows.length > 0) list.current?.scrollToIndex(rows.length - 1, { align: 'end' });
  }, [rows, transcript.runId]);

  const box = useRef<HTMLDivElement>(null);
  const isEmpty = rows.length === 0;
  // A row grows after it has been drawn, such as by a stack that comes later; and the room for all of them changes.
  useLayoutEffect(() => {
    const content = box.current?.firstElementChild;
    if (isEmpty || !content) return undefined;
    const observer = new ResizeObserver(() => {
      if (follows.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
    });
    observer.observe(content);
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, [isEmpty]);

  // The view returns to the place where it was before the tab was left.
  const restored = useRef(false);
  useLayoutEffect(() => {
    if (isEmpty || restored.current) return;
    restored.current = true;
    const { scroll } = saved;
    if (scroll === undefined || scroll.index >= rows.length) return;
    follows.current = false;
    list.current?.scrollToIndex(scroll.index, { align: 'start', offset: scroll.offset });
  }, [isEmpty]);

  if (isEmpty) return <Empty store={store} view={view} />;
  // Text being filled in is not lost when somebody looks back.
  const asked = rows.findLastIndex((row) => row.kind === 'interrupt' && !row.answered);
  const ended = rows.filter(({ kind }) => kind === 'end').length;
  const keepPlace = (): void => {
    clearTimeout(saving.current);
    saving.current = setTimeout(() => {
      const handle = list.current;
      if (handle === null) return;
      const index = handle.findItemIndex(handle.scrollOffset);
      const offset = handle.scrollOffset - handle.getItemOffset(index);
      store.save({ scroll: follows.current ? undefined : { index, offset } });
    }, KEEP_AFTER_MS);
  };
  const onScroll = (): void => {
    if (box.current === null) return;
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    const sizes = `${scrollHeight} ${clientHeight}`;
    // Scroll events caused by growing or measured rows are not the user's.
    const isMoved = scrollTop < before.current.top && sizes === before.current.sizes;
    if (scrollHeight - scrollTop - clientHeight < NEAR_END_PIXELS) follows.current = true;
    else if (isMoved) follows.current = false;
    before.current = { top: scrollTop, sizes };
    keepPlace();
  };
  const onWheel = ({ deltaY }: WheelEvent): void => {
    if (deltaY < 0) follows.current = false;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'PageUp' || event.key === 'ArrowUp') follows.current = false;
    if (event.key !== 'Home' && event.key !== 'End') return;
    // Smooth scrolling would miss its target when rows grow meanwhile.
    event.preventDefault();
    follows.current = event.key === 'End';
    if (follows.current) list.current?.scrollToIndex(rows.length - 1, { align: 'end' });
    else list.current?.scrollToIndex(0);
  };
  return (
    <div
      ref={box}
      onKeyDown={onKeyDown}
      onWheel={onWheel}
      data-ended={ended}
      class="timeline"
      role="log"
      aria-label={l10n.t('Output')}
      aria-live="off"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it has to be scrolled by keyboard
      tabIndex={0}
    >
      <Virtualizer ref={list} data={rows} onScroll={onScroll} keepMounted={asked < 0 ? [] : [asked]}>
        {(row: Row) => <RowView key={row.id} row={row} store={store} />}
      </Virtualizer>
    </div>
  );
}

function Empty({ store, view }: PanelProps) {
  const { session, problem } = view;
  if (session !== undefined) {
    return (
      <div class="empty">
        <Icon name="comment-discussion-sparkle" />
        <p>
          {session.input === 'chat'
            ? l10n.t('Send a message to start. Tokens, tool calls, and steps stream here.')
            : l10n.t('Enter the input to start. Steps and state stream here.')}
        </p>
      </div>
    );
  }
  if (problem !== undefined) {
    return (
      <div class="empty">
        <Icon name="debug-disconnect" />
        <p>{l10n.t('Could not load the agent.')}</p>
        <vscode-button onClick={() => void store.open()}>{l10n.t('Try Again')}</vscode-button>
      </div>
    );
  }
  return (
    <div class="empty">
      <Icon name="loading" spin />
      <p>{l10n.t('Loading the agent…')}</p>
    </div>
  );
}
