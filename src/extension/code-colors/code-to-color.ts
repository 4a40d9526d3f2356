import { z } from 'zod';

/** A panel's request for the colors of code. */
export const CodeToColor = z.object({
  // Panels cut texts at this length before they show them.
  text: z.string().max(200_000),
  /** The language of a block of code: an ID, an alias, or a file extension. */
  language: z.string().max(200),
  /** The ID of the theme, as webviews get it from VS Code. */
  theme: z.string().max(1_000),
});
export type CodeToColor = z.output<typeof CodeToColor>;

/** A part of a text in a color other than the theme's color for text. */
export interface ColoredSpan {
  /** The position in UTF-16 code units; the end is exclusive. */
  readonly start: number;
  readonly end: number;
  /** `#RRGGBB` or `#RRGGBBAA`. */
  readonly color: string;
}
