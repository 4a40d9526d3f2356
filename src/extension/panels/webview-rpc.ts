import { z } from 'zod';

export type { CodeToColor, ColoredSpan } from '../code-colors/code-to-color.ts';

/** How every webview and its host talk: requests with an id, answers with the same one, and events from the host. */

export const WebviewRequest = z.object({ id: z.int(), method: z.string(), params: z.unknown() });

export type HostMessage<Event> =
  | { readonly kind: 'press'; readonly key: PanelKey }
  | { readonly kind: 'answer'; readonly id: number; readonly result?: unknown }
  /** Titles of the actions that the failure offers; `ACT` runs one. */
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

/** The actions of a key or VS Code's context menu: continue, run the next node, copy what was pointed at. */
export type PanelKey = 'continue' | 'step' | 'copy';
