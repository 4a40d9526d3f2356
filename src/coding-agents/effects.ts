import type { Effect } from './tool.ts';

/** Effects of tools, the least first. */
const EFFECTS: readonly Effect[] = ['reads', 'replays', 'runs'];

/** Whether the effect of a tool is within what is allowed. */
export function isAllowed(effect: Effect, most: Effect): boolean {
  return EFFECTS.indexOf(effect) <= EFFECTS.indexOf(most);
}

/** The tools whose effects are within what is allowed. */
export function toolsUpTo<Some extends { readonly effect: Effect }>(
  tools: readonly Some[],
  most: Effect,
): readonly Some[] {
  return tools.filter(({ effect }) => isAllowed(effect, most));
}
