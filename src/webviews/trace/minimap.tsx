import './minimap.css';
import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { FrameQueue } from '../shared/frame-queue.ts';
import { MARKS, minimapCells } from './minimap-cells.ts';
import type { Row } from './rows.ts';
import type { Trace } from './waterfall.ts';

/** The maximum height of a row in pixels. */
const MAX_ROW_HEIGHT = 3;
/** The minimum height of the slider in pixels; a lower one would be hard to grab. */
const MIN_SLIDER_HEIGHT = 16;

interface MinimapProps {
  readonly rows: readonly Row[];
  readonly trace: Trace;
  /** The position of the selected row; negative without one. */
  readonly selected: number;
  /** The element in which the rows scroll. */
  readonly tree: RefObject<HTMLElement>;
  /** The visible height of that element in pixels. */
  readonly height: number;
}

/**
 * A map of all rows at the edge of the tree. It shows where failures are, and a slider over the visible rows. It is for
 * the pointer only; the keyboard has F8 and the keys of the tree.
 */
export function Minimap({ rows, trace, selected, tree, height }: MinimapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const slider = useRef<HTMLDivElement>(null);
  const drawnHeight = Math.min(height, rows.length * MAX_ROW_HEIGHT);

  // Spans may arrive, and colors change, more often than the page is drawn.
  const paints = useMemo(
    () =>
      new FrameQueue<() => void>({
        show: (waiting) => waiting.at(-1)?.(),
        sizeOf: () => 0,
        maxSize: 0,
      }),
    [],
  );
  useLayoutEffect(() => {
    const repaint = () => paints.add([() => canvas.current && paint(canvas.current, rows, trace)]);
    repaint();
    return onThemeChange(repaint);
  }, [rows, trace, drawnHeight]);

  useLayoutEffect(() => {
    const { current: scrolled } = tree;
    if (scrolled === null) return;
    const follow = () => slider.current && placeSlider(slider.current, scrolled, drawnHeight);
    follow();
    scrolled.addEventListener('scroll', follow, { passive: true });
    return () => scrolled.removeEventListener('scroll', follow);
  }, [rows, height, drawnHeight]);

  /** While the slider is dragged, the distance from the pointer to the middle of the slider in pixels. */
  const grabOffset = useRef(0);
  const onPointerDown = (event: PointerEvent) => {
    const { currentTarget: map, button, clientY, pointerId } = event;
    const box = slider.current?.getBoundingClientRect();
    if (!(map instanceof HTMLElement) || button !== 0 || box === undefined) return;
    const isOnSlider = box.top <= clientY && clientY < box.bottom;
    grabOffset.current = isOnSlider ? (box.top + box.bottom) / 2 - clientY : 0;
    map.setPointerCapture(pointerId);
    if (!isOnSlider) scrollTo(map, clientY);
  };
  const onPointerMove = ({ currentTarget: map, pointerId, clientY }: PointerEvent) => {
    if (map instanceof HTMLElement && map.hasPointerCapture(pointerId)) scrollTo(map, clientY);
  };
  const scrollTo = (map: HTMLElement, clientY: number) => {
    const { current: scrolled } = tree;
    if (scrolled === null) return;
    const y = clientY + grabOffset.current - map.getBoundingClientRect().top;
    scrolled.scrollTop = (y / drawnHeight) * scrolled.scrollHeight - scrolled.clientHeight / 2;
  };
  return (
    <div class="minimap-place" aria-hidden="true">
      <div
        class="minimap"
        style={{ height: `${height}px` }}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
      >
        <div ref={slider} class="slider" />
        {selected >= 0 && (
          <div
            class="here"
            style={{ top: `${(((selected + 0.5) / rows.length) * drawnHeight - 1).toFixed(1)}px` }}
          />
        )}
        <canvas ref={canvas} style={{ height: `${drawnHeight}px` }} />
        {MARKS.map((mark) => (
          <span key={mark} class={`bar ${mark}`} hidden />
        ))}
      </div>
    </div>
  );
}

/** Puts the slider over the visible rows. */
function placeSlider(
  slider: HTMLElement,
  { scrollTop, clientHeight, scrollHeight }: HTMLElement,
  drawnHeight: number,
): void {
  const exact = (clientHeight / scrollHeight) * drawnHeight;
  const height = Math.max(MIN_SLIDER_HEIGHT, exact);
  const top = (scrollTop / scrollHeight) * drawnHeight - (height - exact) / 2;
  slider.style.height = `${height.toFixed(1)}px`;
  slider.style.top = `${Math.max(0, Math.min(drawnHeight - height, top)).toFixed(1)}px`;
}

/** Paints each row in the color of its bar. */
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

/** Calls back when VS Code changes the page's theme or colors. @returns a function that stops this */
function onThemeChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ['style'] });
  observer.observe(document.body, { attributeFilter: ['class'] });
  return () => observer.disconnect();
}
