import './thoughts.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { cut } from '../../shared/cut.ts';
import { duration } from '../../shared/duration.ts';
import { Icon } from '../../shared/icon.tsx';
import { preview } from '../../shared/json.tsx';

/** The maximum number of characters of thoughts that are shown. */
const MAX_LENGTH = 30_000;

interface ThoughtsProps {
  readonly text: string;
  /** Whether the thoughts are streaming, and neither an answer nor a tool call has begun. */
  readonly isThinking: boolean;
}

/**
 * The thoughts of a model before it answers. While they stream, they are expanded and scrolled to their end; afterwards
 * they are collapsed, and show their duration.
 */
export function Thoughts({ text, isThinking }: ThoughtsProps) {
  // Undefined until the user expands or collapses the thoughts.
  const [chosen, choose] = useState<boolean>();
  const isOpen = chosen ?? isThinking;
  const tookMs = useDuration(isThinking);
  const end = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (isThinking) end.current?.scrollTo({ top: end.current.scrollHeight });
  }, [text, isThinking]);
  return (
    <details
      class={isThinking ? 'line thoughts thinking' : 'line thoughts'}
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => {
        // The event also reports changes of `open` that are not the user's.
        if (open !== isOpen) choose(open);
      }}
    >
      <summary>
        <Icon name="lightbulb" />
        <span class="name">{nameOf(isThinking, tookMs)}</span>
        <span class="preview">{preview(text)}</span>
      </summary>
      <p ref={end} class="text">
        {isThinking && text.length > MAX_LENGTH ? text.slice(-MAX_LENGTH) : cut(text, MAX_LENGTH)}
      </p>
    </details>
  );
}

function nameOf(isThinking: boolean, tookMs: number | undefined): string {
  if (isThinking) return l10n.t('Thinking…');
  return tookMs === undefined ? l10n.t('Thoughts') : l10n.t('Thought for {0}', duration(tookMs));
}

/** How long something took in milliseconds, once it has ended; undefined if its beginning was not observed. */
function useDuration(isOngoing: boolean): number | undefined {
  const began = useRef<number | null>(null);
  const [took, setTook] = useState<number>();
  // In a layout effect, so that the page is not painted without the duration.
  useLayoutEffect(() => {
    const { current } = began;
    if (isOngoing) began.current ??= performance.now();
    else if (current !== null) setTook((known) => known ?? performance.now() - current);
  }, [isOngoing]);
  return took;
}
