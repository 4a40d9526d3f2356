import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/**
 * Returns the focus to what has opened something, once that is closed again. @returns the ref for the opener
 */
export function useFocusBack<E extends HTMLElement>(isOpen: boolean): RefObject<E> {
  const opener = useRef<E>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    // The focus is not moved if it has moved elsewhere.
    if (wasOpen.current && !isOpen && document.activeElement === document.body) opener.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return opener;
}
