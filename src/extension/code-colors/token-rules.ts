import { z } from 'zod';
import { listOf } from './contributions.ts';

/** The color of the tokens in a scope. Rules without a color, for example for bold text, are left out. */
const TokenRule = z.object({
  scope: z.union([z.string(), z.array(z.string())]),
  settings: z.object({ foreground: z.string() }),
});
export type TokenRule = z.output<typeof TokenRule>;

export const TokenRules = listOf(TokenRule);
