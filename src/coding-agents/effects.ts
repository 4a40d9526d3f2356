import type { Effect } from './tool.ts';

/** Effects of tools, the least first. */
const EFFECTS: readonly Effect[] = ['reads', 'replays', 'runs'];

/** The tools that do no more than what is allowed. */
export function toolsUpTo<Some extends { readonly effect: Effect }>(
  tools: readonly Some[],
  most: Effect,
): readonly Some[] {
  return tools.filter(({ effect }) => EFFECTS.indexOf(effect) <= EFFECTS.indexOf(most));
}
