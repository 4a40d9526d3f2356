import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** The kinds of text that can be copied from the context menu; package.json has an item for each. */
export type CopyKind = 'message' | 'json' | 'code' | 'error';

/** The texts to copy, by their areas. */
const texts = new WeakMap<Element, () => string>();
/** The area whose context menu was opened last; undefined if that place belongs to none. */
let pointedAt: Element | undefined;

addEventListener('contextmenu', ({ target }) => {
  const area = target instanceof Element ? target.closest('[data-vscode-context]') : null;
  pointedAt = area ?? undefined;
});

/**
 * Adds an item to VS Code's context menu that copies the contents of an area.
 * @param text returns the text; called when the user copies it
 */
export function offerInMenu(area: Element, kind: CopyKind, text: () => string): void {
  texts.set(area, text);
  area.setAttribute('data-vscode-context', JSON.stringify({ webviewSection: kind }));
}

/** Offers to copy an area that has no copy button. @returns the ref for the area */
export function useCopyMenu<E extends Element>(kind: CopyKind, text: () => string): RefObject<E> {
  const area = useRef<E>(null);
  useEffect(() => {
    if (area.current !== null) offerInMenu(area.current, kind, text);
  });
  return area;
}

/** The text of the area whose context menu was opened; `undefined` if it cannot be copied. */
export function textOfMenu(): string | undefined {
  return pointedAt && texts.get(pointedAt)?.();
}
