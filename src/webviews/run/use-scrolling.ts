import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { VirtualizerHandle } from 'virtua';

/** Within this distance of the end, the list follows new rows. */
const NEAR_END_PIXELS = 48;

/** How long scrolling must have stopped before the position is saved. */
const SAVE_AFTER_MS = 150;

/** A position in a list: the row at the top, and how many pixels of it are scrolled out of view. */
interface ScrollPlace {
  readonly index: number;
  readonly offset: number;
}

interface ScrollingOptions {
  /** The rows of the list; a new array when a row has changed. */
  readonly rows: readonly unknown[];
  /** A new run scrolls to the end. */
  readonly runId: string | undefined;
  /** The initial place; undefined for the end. */
  readonly saved: ScrollPlace | undefined;
  readonly onSave: (place: ScrollPlace | undefined) => void;
}

/** Makes a list follow its end until the user scrolls up, and keep its position when the page is reloaded. */
export function useScrolling({ rows, runId, saved, onSave }: ScrollingOptions) {
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const { follows, isAway } = useFollowing();
  useRunStart({ rows, runId, list, follows });
  useGrowth({ isEmpty: rows.length === 0, box, follows });
  useSavedPlace({ rows, saved, list, follows });
  const jumpToLatest = (): void => {
    follows.current = true;
    list.current?.scrollToIndex(rows.length - 1, { align: 'end' });
    // The focused button disappears.
    box.current?.focus();
  };
  return { box, list, isAway, jumpToLatest, ...useUserScrolling({ rows, box, list, follows, onSave }) };
}

/** Whether the list follows its end: `follows` for handlers, which also set it, and `isAway` for drawing. */
function useFollowing(): Follows & { readonly isAway: boolean } {
  const [isAway, setAway] = useState(false);
  const follows = useMemo(() => {
    let isFollowing = true;
    return {
      get current() {
        return isFollowing;
      },
      set current(value: boolean) {
        isFollowing = value;
        setAway(!value);
      },
    };
  }, []);
  return { follows, isAway };
}

interface Follows {
  /** Whether the list follows its end. */
  readonly follows: { current: boolean };
}
interface List {
  readonly list: RefObject<VirtualizerHandle>;
}
interface Box {
  readonly box: RefObject<HTMLDivElement>;
}

/** Follows new rows, and scrolls to the end when a run starts. */
function useRunStart({
  rows,
  runId,
  list,
  follows,
}: Pick<ScrollingOptions, 'rows' | 'runId'> & List & Follows): void {
  const shownRun = useRef(runId);
  useLayoutEffect(() => {
    if (shownRun.current !== runId) follows.current = true;
    shownRun.current = runId;
    if (follows.current && rows.length > 0) list.current?.scrollToIndex(rows.length - 1, { align: 'end' });
  }, [rows, runId]);
}

/** Keeps the end in view when the list is resized or a row grows, for example because a stack trace has arrived. */
function useGrowth({ isEmpty, box, follows }: { readonly isEmpty: boolean } & Box & Follows): void {
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
}

/** Restores the saved position, once there are rows. */
function useSavedPlace({
  rows,
  saved,
  list,
  follows,
}: Pick<ScrollingOptions, 'rows' | 'saved'> & List & Follows): void {
  const restored = useRef(false);
  const isEmpty = rows.length === 0;
  useLayoutEffect(() => {
    if (isEmpty || restored.current) return;
    restored.current = true;
    if (saved === undefined || saved.index >= rows.length) return;
    follows.current = false;
    list.current?.scrollToIndex(saved.index, { align: 'start', offset: saved.offset });
  }, [isEmpty]);
}

/** Handlers for scrolling by mouse, wheel and keys. */
function useUserScrolling({
  rows,
  box,
  list,
  follows,
  onSave,
}: Pick<ScrollingOptions, 'rows' | 'onSave'> & List & Box & Follows) {
  const saving = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const before = useRef({ top: 0, sizes: '' });
  const savePlace = (): void => {
    clearTimeout(saving.current);
    saving.current = setTimeout(() => {
      const handle = list.current;
      if (handle === null) return;
      const index = handle.findItemIndex(handle.scrollOffset);
      const offset = handle.scrollOffset - handle.getItemOffset(index);
      onSave(follows.current ? undefined : { index, offset });
    }, SAVE_AFTER_MS);
  };
  const onScroll = (): void => {
    if (box.current === null) return;
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    const sizes = `${scrollHeight} ${clientHeight}`;
    // Rows that grow or are measured also cause scroll events.
    const isMoved = scrollTop < before.current.top && sizes === before.current.sizes;
    if (scrollHeight - scrollTop - clientHeight < NEAR_END_PIXELS) follows.current = true;
    else if (isMoved) follows.current = false;
    before.current = { top: scrollTop, sizes };
    savePlace();
  };
  const onWheel = ({ deltaY }: WheelEvent): void => {
    if (deltaY < 0) follows.current = false;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'PageUp' || event.key === 'ArrowUp') follows.current = false;
    if (event.key !== 'Home' && event.key !== 'End') return;
    // The browser's smooth scrolling would miss its target when rows grow meanwhile.
    event.preventDefault();
    follows.current = event.key === 'End';
    if (follows.current) list.current?.scrollToIndex(rows.length - 1, { align: 'end' });
    else list.current?.scrollToIndex(0);
  };
  return { onScroll, onWheel, onKeyDown };
}
