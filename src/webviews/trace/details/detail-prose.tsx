import { Prose } from '../../shared/prose.tsx';

/** The maximum number of characters of a text that are shown until the user expands it. */
const MAX_LENGTH = 6_000;

/** Markdown in the details of a run, cut if it is very long. */
export function DetailProse({ text }: { readonly text: string }) {
  return <Prose text={text} maxLength={MAX_LENGTH} headings={4} />;
}
