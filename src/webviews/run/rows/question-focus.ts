import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** The elements of the composer that take the focus. */
const INPUT = '.composer :is(textarea, input, button)';
/** The elements of a question that take the focus. */
const FIELD = 'vscode-button, input, textarea, select';

/**
 * Moves the focus from the composer to a new question, and back when it is answered. The focus stays if it is elsewhere,
 * or in a composer with text.
 */
export function useQuestionFocus(card: RefObject<HTMLElement>, isAsking: boolean): void {
  const wasAsking = useRef(false);
  useEffect(() => {
    let frame = 0;
    const focusFirst = (): void => {
      const { activeElement } = document;
      if (card.current === null || !document.hasFocus()) return;
      if (!isFree(activeElement) && !isEmptyInput(activeElement)) return;
      // The list hides a row until it has been measured, and hidden elements cannot take the focus.
      if (getComputedStyle(card.current).visibility === 'hidden') frame = requestAnimationFrame(focusFirst);
      else focusQuestion(card.current);
    };
    if (isAsking && !wasAsking.current) focusFirst();
    const { activeElement } = document;
    // The answered field has disappeared, and the focus with it.
    if (!isAsking && wasAsking.current && (isFree(activeElement) || card.current?.contains(activeElement)))
      document.querySelector<HTMLElement>(INPUT)?.focus();
    wasAsking.current = isAsking;
    return () => cancelAnimationFrame(frame);
  }, [card, isAsking]);
}

/** Focuses the first unanswered question of a card. */
export function focusQuestion(card: HTMLElement | null): void {
  card?.querySelector<HTMLElement>(`.question.asks :is(${FIELD})`)?.focus();
}

function isFree(element: Element | null): element is null | HTMLBodyElement {
  return element === document.body || element === null;
}

function isEmptyInput(element: Element): boolean {
  return (
    element.closest('.composer') !== null &&
    (!(element instanceof HTMLTextAreaElement) || element.value === '')
  );
}
