import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Focuses the first field once the panel has the focus, unless something else in the panel has it. */
export function useFirstFocus(box: RefObject<HTMLElement>, isReady: boolean): void {
  useEffect(() => {
    if (!isReady) return undefined;
    const take = (): void => {
      if (document.activeElement !== document.body) return;
      const field = box.current?.querySelector<HTMLElement>('textarea, input, select, button');
      field?.focus({ preventScroll: true });
    };
    if (document.hasFocus()) take();
    else window.addEventListener('focus', take, { once: true });
    return () => window.removeEventListener('focus', take);
  }, [box, isReady]);
}
