import './thoughts.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { duration } from '../../shared/duration.ts';
import { Icon } from '../../shared/icon.tsx';
import { preview } from '../../shared/json.tsx';
import { cut } from '../../shared/prose.tsx';

/** Longer thoughts are cut at first. */
const MAX_LENGTH = 30_000;

interface ThoughtsProps {
  readonly text: string;
  /** Whether they are still streaming: neither an answer nor a call has begun. */
  readonly isThinking: boolean;
}

/**
 * The thoughts of a model before it answers: open and at their end while they stream, collapsed with their
 * duration afterwards.
 */
export function Thoughts({ text, isThinking }: ThoughtsProps) {
  // Undefined until the user opens or closes them.
  const [chosen, choose] = useState<boolean>();
  const isOpen = chosen ?? isThinking;
  const took = useDuration(isThinking);
  const end = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (isThinking) end.current?.scrollTo({ top: end.current.scrollHeight });
  }, [text, isThinking]);
  const name = isThinking
    ? l10n.t('Thinking…')
    : took === undefined
      ? l10n.t('Thoughts')
      : l10n.t('Thought for {0}', duration(took));
  return (
    <details
      class={isThinking ? 'line thoughts thinking' : 'line thoughts'}
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => {
        // Otherwise the event only reports what was set here.
        if (open !== isOpen) choose(open);
      }}
    >
      <summary>
        <Icon name="lightbulb" />
        <span class="name">{name}</span>
        <span class="preview">{preview(text)}</span>
      </summary>
      <p ref={end} class="text">
        {isThinking && text.length > MAX_LENGTH ? text.slice(-MAX_LENGTH) : cut(text, MAX_LENGTH)}
      </p>
    </details>
  );
}

/**
 * How long something took, in milliseconds, once it has ended; undefined when its beginning was not observed.
 */
function useDuration(goesOn: boolean): number | undefined {
  const began = useRef<number | null>(null);
  const [took, setTook] = useState<number>();
  // Before the page is painted, so that it does not flash as unknown.
  useLayoutEffect(() => {
    const { current } = began;
    if (goesOn) began.current ??= performance.now();
    else if (current !== null) setTook((known) => known ?? performance.now() - current);
  }, [goesOn]);
  return took;
}
