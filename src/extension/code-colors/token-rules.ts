import { z } from 'zod';
import { listOfValid } from './list-of-valid.ts';

/** The color of the tokens in a scope. Rules for something else, such as bold text, are not valid here. */
const TokenRule = z.object({
  scope: z.union([z.string(), z.array(z.string())]),
  settings: z.object({ foreground: z.string() }),
});
export type TokenRule = z.output<typeof TokenRule>;

/** The rules in a list; those without a color or a scope are left out. */
export const TokenRules = listOfValid(TokenRule);
