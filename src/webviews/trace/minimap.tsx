import './minimap.css';
import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { FrameQueue } from '../shared/frame-queue.ts';
import { MARKS, minimapCells } from './minimap-cells.ts';
import type { Row, Trace } from './waterfall.ts';

/** The most pixels that a row takes. */
const MAX_LINE = 3;
/** Lower than this, the window on view could not be grabbed. */
const MIN_WINDOW = 16;

interface MinimapProps {
  readonly rows: readonly Row[];
  readonly trace: Trace;
  /** The place of the selected row; negative without one. */
  readonly selected: number;
  /** The element that has all rows, and is scrolled. */
  readonly tree: RefObject<HTMLElement>;
  /** Its visible height. */
  readonly height: number;
}

/**
 * All rows, however many, at the edge of the tree: shows where failures are, and which rows are in sight. It is for the
 * pointer only; for the keyboard there are F8 and the keys of the tree, which keeps the focus.
 */
export function Minimap({ rows, trace, selected, tree, height }: MinimapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const window = useRef<HTMLDivElement>(null);
  const drawn = Math.min(height, rows.length * MAX_LINE);

  // Spans may arrive, and colors change, more often than the page is drawn.
  const paints = useMemo(
    () =>
      new FrameQueue<() => void>({
        show: (asked) => asked.at(-1)?.(),
        sizeOf: () => 0,
        maxSize: 0,
      }),
    [],
  );
  useLayoutEffect(() => {
    const ask = () => paints.add([() => canvas.current && paint(canvas.current, rows, trace)]);
    ask();
    return onThemeChange(ask);
  }, [rows, trace, drawn]);

  useLayoutEffect(() => {
    const { current: scrolled } = tree;
    if (scrolled === null) return;
    const follow = () => window.current && place(window.current, scrolled, drawn);
    follow();
    scrolled.addEventListener('scroll', follow, { passive: true });
    return () => scrolled.removeEventListener('scroll', follow);
  }, [rows, drawn]);

  /** The distance from the pointer to the middle of the window, when the window is dragged by another part of it. */
  const grabbed = useRef(0);
  const onPointerDown = (event: PointerEvent) => {
    const { currentTarget: map, button, clientY, pointerId } = event;
    const box = window.current?.getBoundingClientRect();
    if (!(map instanceof HTMLElement) || button !== 0 || box === undefined) return;
    const isOnWindow = box.top <= clientY && clientY < box.bottom;
    grabbed.current = isOnWindow ? (box.top + box.bottom) / 2 - clientY : 0;
    map.setPointerCapture(pointerId);
    if (!isOnWindow) go(map, clientY);
  };
  const onPointerMove = ({ currentTarget: map, pointerId, clientY }: PointerEvent) => {
    if (map instanceof HTMLElement && map.hasPointerCapture(pointerId)) go(map, clientY);
  };
  const go = (map: HTMLElement, clientY: number) => {
    const { current: scrolled } = tree;
    if (scrolled === null) return;
    const y = clientY + grabbed.current - map.getBoundingClientRect().top;
    scrolled.scrollTop = (y / drawn) * scrolled.scrollHeight - scrolled.clientHeight / 2;
  };
  return (
    <div class="minimap-place" aria-hidden="true">
      <div
        class="minimap"
        style={{ height: `${height}px` }}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
      >
        <div ref={window} class="window" />
        {selected >= 0 && (
          <div
            class="here"
            style={{ top: `${(((selected + 0.5) / rows.length) * drawn - 1).toFixed(1)}px` }}
          />
        )}
        <canvas ref={canvas} style={{ height: `${drawn}px` }} />
        {MARKS.map((mark) => (
          <span key={mark} class={`bar ${mark}`} hidden />
        ))}
      </div>
    </div>
  );
}

/** Marks the rows in sight. */
function place(
  window: HTMLElement,
  { scrollTop, clientHeight, scrollHeight }: HTMLElement,
  drawn: number,
): void {
  const exact = (clientHeight / scrollHeight) * drawn;
  const height = Math.max(MIN_WINDOW, exact);
  const top = (scrollTop / scrollHeight) * drawn - (height - exact) / 2;
  window.style.height = `${height.toFixed(1)}px`;
  window.style.top = `${Math.max(0, Math.min(drawn - height, top)).toFixed(1)}px`;
}

/** Paints the rows in the colors that their bars have beside it. */
function paint(canvas: HTMLCanvasElement, rows: readonly Row[], trace: Trace): void {
  const columns = Math.max(1, Math.round(canvas.clientWidth * devicePixelRatio));
  const lines = Math.max(1, Math.round(canvas.clientHeight * devicePixelRatio));
  canvas.width = columns;
  canvas.height = lines;
  const context = canvas.getContext('2d');
  if (context === null) return;
  const colors = [...(canvas.parentElement?.querySelectorAll('.bar') ?? [])].map(
    (bar) => getComputedStyle(bar).backgroundColor,
  );
  const cells = minimapCells(rows, trace, { columns, lines, scale: devicePixelRatio });
  for (let line = 0; line < lines; line++) {
    for (let from = 0, at = 0; at < columns; from = at) {
      const mark = cells[line * columns + from] ?? 0;
      while (at < columns && cells[line * columns + at] === mark) at++;
      if (mark === 0) continue;
      context.fillStyle = colors[mark - 1] ?? '';
      context.fillRect(from, line, at - from, 1);
    }
  }
}

/** Calls back when VS Code has given the page another theme. @returns a function that ends this. */
function onThemeChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ['style'] });
  observer.observe(document.body, { attributeFilter: ['class'] });
  return () => observer.disconnect();
}
