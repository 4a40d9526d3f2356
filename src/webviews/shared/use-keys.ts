import { useEffect } from 'preact/hooks';

/** Handles keys that are pressed anywhere in the panel. @param handle returns whether it has handled the key */
export function useKeys(handle: (event: KeyboardEvent) => boolean): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (handle(event)) event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [handle]);
}
