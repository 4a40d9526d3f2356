import type { Effect } from './tool.ts';

/** The effects of tools, the weakest first. Each includes those before it. */
export const EFFECTS: readonly Effect[] = ['reads', 'replays', 'runs'];

/** Whether an effect is at most the allowed one. */
export function isAllowed(effect: Effect, most: Effect): boolean {
  return EFFECTS.indexOf(effect) <= EFFECTS.indexOf(most);
}

/** Returns the tools whose effects are at most the allowed one. */
export function toolsUpTo<Some extends { readonly effect: Effect }>(
  tools: readonly Some[],
  most: Effect,
): readonly Some[] {
  return tools.filter(({ effect }) => isAllowed(effect, most));
}
