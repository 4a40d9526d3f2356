import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/**
 * When a part of the panel is closed, moves the focus back to the element that opened it.
 * @returns the ref for that element
 */
export function useFocusBack<E extends HTMLElement>(isOpen: boolean): RefObject<E> {
  const opener = useRef<E>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    // If the user has moved the focus elsewhere, it stays there.
    if (wasOpen.current && !isOpen && document.activeElement === document.body) opener.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return opener;
}
