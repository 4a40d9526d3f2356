import { z } from 'zod';

export type { CodeToColor, ColoredSpan } from '../code-colors/code-to-color.ts';

/** A request of a webview. The host's answer has the same ID. */
export const WebviewRequest = z.object({ id: z.int(), method: z.string(), params: z.unknown() });

/** A message of the host: the answer to a request, or something that the webview did not ask for. */
export type HostMessage<Event> =
  /** A key was pressed, or an item of the context menu chosen. */
  | { readonly kind: 'press'; readonly key: PanelKey }
  | { readonly kind: 'answer'; readonly id: number; readonly result?: unknown }
  /** A failure, with the titles of the actions that it offers; `ACT` runs one. */
  | {
      readonly kind: 'failure';
      readonly id: number;
      readonly message: string;
      readonly actions: readonly string[];
    }
  | { readonly kind: 'events'; readonly events: readonly Event[] };

/** A folder that is open in the window. Every page gets the list of them as JSON in `data-folders`. */
export interface OpenFolder {
  readonly name: string;
  /** The absolute path. */
  readonly path: string;
}

/** The request of every webview that runs an action of an earlier failure. */
export const ACT = 'act';
export const Act = z.object({ failure: z.int(), action: z.int() });

/** The request of every webview for the colors of `CodeToColor`; the answer is `ColoredSpan[]`. */
export const COLOR_CODE = 'colorCode';

/** The request of every webview that writes an error of its page to the log. */
export const LOG_ERROR = 'logError';
export const PageError = z.object({ message: z.string(), stack: z.string().optional() });
export type PageError = z.output<typeof PageError>;

/**
 * The action of a key or a context menu: continue, run the next superstep, or copy what the menu was opened
 * on.
 */
export type PanelKey = 'continue' | 'step' | 'copy';
