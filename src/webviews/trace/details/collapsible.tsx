import './folded.css';
import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The height of some twelve lines, in pixels; slightly higher content is shown whole. */
const FOLDED_HEIGHT = 260;
const MAX_HEIGHT = 400;

/** Content of which only the first lines are shown until the user expands it. */
export function Collapsible({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(false);
  const [isLong, setLong] = useState(false);
  const content = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = content.current;
    if (element === null) return;
    const measure = () => setLong(element.offsetHeight > MAX_HEIGHT);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const isFolded = isLong && !isOpen;
  return (
    <>
      <div
        class={isFolded ? 'folded' : undefined}
        style={isFolded ? { maxHeight: FOLDED_HEIGHT } : undefined}
        onFocusCapture={({ currentTarget, target }) => {
          // The keyboard can also reach hidden content.
          if (!(target instanceof HTMLElement)) return;
          if (target.getBoundingClientRect().top > currentTarget.getBoundingClientRect().bottom)
            setOpen(true);
        }}
      >
        <div ref={content}>{children}</div>
      </div>
      {isLong && (
        <button
          type="button"
          class="link"
          aria-expanded={isOpen}
          aria-label={isOpen ? l10n.t('Show Less of {0}', label) : l10n.t('Show More of {0}', label)}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? l10n.t('Show Less') : l10n.t('Show More')}
        </button>
      )}
    </>
  );
}
