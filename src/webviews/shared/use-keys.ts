import { useEffect } from 'preact/hooks';

/** Handles keys wherever the focus is in the panel. @param handle whether it has done something with the key */
export function useKeys(handle: (event: KeyboardEvent) => boolean): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (handle(event)) event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [handle]);
}
