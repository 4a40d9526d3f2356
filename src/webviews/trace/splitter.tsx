import './splitter.css';
import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** The smallest share of the space that either side gets. */
const MINIMUM = 0.2;
/** The share by which an arrow key moves the splitter. */
const STEP = 0.05;
/** The share that a double click restores: the default of `split` in the panel's state. */
const DEFAULT = 0.55;
/** As in the panel's CSS: one side is below the other. */
const IS_STACKED = matchMedia('(max-width: 640px)');

interface SplitterProps {
  readonly container: RefObject<HTMLElement>;
  /** The share of the side before the splitter, 0 to 1. */
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** The line between two sides, which the pointer and arrow keys move. In narrow panels, one side is below the other. */
export function Splitter({ container, value, onChange }: SplitterProps) {
  const isStacked = useIsStacked();
  const set = (wanted: number) => onChange(clamp(wanted));
  const onPointerMove = (event: PointerEvent) => {
    const line = event.currentTarget;
    const box = container.current?.getBoundingClientRect();
    if (!(line instanceof HTMLElement) || !line.hasPointerCapture(event.pointerId) || box === undefined)
      return;
    set(isStacked ? (event.clientY - box.top) / box.height : (event.clientX - box.left) / box.width);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const [before, after] = [value - STEP, value + STEP];
    const shares: Readonly<Record<string, number>> = {
      ...{ ArrowLeft: before, ArrowUp: before, ArrowRight: after, ArrowDown: after },
      ...{ Home: 0, End: 1 },
    };
    const wanted = shares[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    set(wanted);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr element cannot be moved
    <div
      class="splitter"
      role="separator"
      tabIndex={0}
      aria-label={l10n.t('Waterfall size')}
      aria-orientation={isStacked ? 'horizontal' : 'vertical'}
      aria-valuenow={Math.round(clamp(value) * 100)}
      aria-valuemin={MINIMUM * 100}
      aria-valuemax={(1 - MINIMUM) * 100}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
      onDblClick={() => set(DEFAULT)}
    />
  );
}

function useIsStacked(): boolean {
  const [isStacked, setIsStacked] = useState(IS_STACKED.matches);
  useEffect(() => {
    const update = () => setIsStacked(IS_STACKED.matches);
    IS_STACKED.addEventListener('change', update);
    return () => IS_STACKED.removeEventListener('change', update);
  }, []);
  return isStacked;
}

function clamp(share: number): number {
  return Math.max(MINIMUM, Math.min(1 - MINIMUM, share));
}
