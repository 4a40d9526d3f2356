import './collapsible.css';
import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The height of collapsed content in pixels: about twelve lines. */
const FOLDED_HEIGHT = 260;
/** Content up to this height in pixels is not collapsed, because expanding it would show only a little more. */
const MAX_HEIGHT = 400;

/** Shows only the first lines of long content until the user expands it. */
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
          // Tab can move the focus into the hidden part.
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
