import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

const INPUT = '.composer :is(textarea, input, button)';

/**
 * The focus goes from the input to a question that comes, and back when it is answered; from anywhere else it is not
 * taken, nor from somebody who is writing.
 */
export function useQuestionFocus(card: RefObject<HTMLElement>, isAsking: boolean): void {
  const wasAsking = useRef(false);
  useEffect(() => {
    const { activeElement } = document;
    const isFree = activeElement === document.body || activeElement === null;
    if (isAsking && !wasAsking.current && document.hasFocus() && (isFree || isEmptyInput(activeElement)))
      card.current?.querySelector<HTMLElement>('vscode-button, input, textarea, select')?.focus();
    // The answered element is gone, and the focus with it.
    if (!isAsking && wasAsking.current && (isFree || card.current?.contains(activeElement)))
      document.querySelector<HTMLElement>(INPUT)?.focus();
    wasAsking.current = isAsking;
  }, [card, isAsking]);
}

function isEmptyInput(element: Element): boolean {
  return (
    element.closest('.composer') !== null &&
    (!(element instanceof HTMLTextAreaElement) || element.value === '')
  );
}
