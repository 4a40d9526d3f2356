import './splitter.css';
import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';

/** The smallest share of the space that either side gets. */
const MINIMUM = 0.2;
/** The share by which an arrow key moves the splitter. */
const STEP = 0.05;
/** The share that a double click restores: the default of `split` in the panel's state. */
const DEFAULT = 0.55;

interface SplitterProps {
  readonly container: RefObject<HTMLElement>;
  /** The share of the side before the splitter, 0 to 1. */
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** The line between two sides, which the pointer and arrow keys move. In narrow panels, one side is below the other. */
export function Splitter({ container, value, onChange }: SplitterProps) {
  const set = (wanted: number) => onChange(Math.max(MINIMUM, Math.min(1 - MINIMUM, wanted)));
  const onPointerMove = (event: PointerEvent) => {
    const line = event.currentTarget;
    const box = container.current?.getBoundingClientRect();
    if (!(line instanceof HTMLElement) || !line.hasPointerCapture(event.pointerId) || box === undefined)
      return;
    const isStacked = line.offsetWidth > line.offsetHeight;
    set(isStacked ? (event.clientY - box.top) / box.height : (event.clientX - box.left) / box.width);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    if (direction === undefined) return;
    event.preventDefault();
    set(value + direction * STEP);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr element cannot be moved
    <div
      class="splitter"
      role="separator"
      tabIndex={0}
      aria-label={l10n.t('Waterfall size')}
      aria-valuenow={Math.round(value * 100)}
      aria-valuemin={MINIMUM * 100}
      aria-valuemax={(1 - MINIMUM) * 100}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
      onDblClick={() => set(DEFAULT)}
    />
  );
}
