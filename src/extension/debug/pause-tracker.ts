import type * as vscode from 'vscode';
import { z } from 'zod';
import type { PausedAt } from '../../contract/debugging.ts';
import { isInside } from '../../project/paths.ts';

const Message = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('event'),
    event: z.string(),
    body: z.looseObject({ threadId: z.int().optional() }).optional(),
  }),
  z.object({ type: z.literal('response'), command: z.string(), success: z.boolean() }),
]);

const Stack = z.object({
  stackFrames: z.array(
    z.looseObject({
      name: z.string(),
      line: z.int(),
      source: z.looseObject({ path: z.string().optional() }).optional(),
      presentationHint: z.string().optional(),
    }),
  ),
});

/** How many frames are searched for the project's own code. */
const MAX_FRAMES = 20;

interface PauseTrackerOptions {
  readonly session: vscode.DebugSession;
  /** The folder of langgraph.json. */
  readonly folder: string;
  readonly onAttached: () => void;
  /** Called when the debugger holds a thread; with undefined when it has continued. */
  readonly onPause: (paused: { readonly threadId: number; readonly at: PausedAt } | undefined) => void;
}

/** Finds out from the messages of a debugger to VS Code whether it holds the process, and where. */
export class PauseTracker implements vscode.DebugAdapterTracker {
  readonly #options: PauseTrackerOptions;
  /** The reports of pauses, which keep their order although reading a stack takes time. */
  #reports: Promise<void> = Promise.resolve();

  constructor(options: PauseTrackerOptions) {
    this.#options = options;
  }

  onDidSendMessage(message: unknown): void {
    const read = Message.safeParse(message);
    // Requests, and responses without these fields, say nothing about pauses.
    if (!read.success) return;
    if (read.data.type === 'response') {
      if (read.data.command === 'configurationDone' && read.data.success) this.#options.onAttached();
      return;
    }
    const { event, body } = read.data;
    if (event === 'stopped') this.#tell(() => this.#findPlace(body?.threadId ?? 0));
    else if (event === 'continued' || event === 'terminated') this.#tell(async () => undefined);
  }

  onWillStopSession(): void {
    this.#tell(async () => undefined);
  }

  #tell(read: () => Promise<{ threadId: number; at: PausedAt } | undefined>): void {
    this.#reports = this.#reports.then(async () => this.#options.onPause(await read()));
  }

  async #findPlace(threadId: number): Promise<{ threadId: number; at: PausedAt }> {
    const { session, folder } = this.#options;
    try {
      const answer = await session.customRequest('stackTrace', {
        threadId,
        startFrame: 0,
        levels: MAX_FRAMES,
      });
      const { stackFrames } = Stack.parse(answer);
      const own = stackFrames.find(({ source }) => isOwnFile(folder, source?.path)) ?? stackFrames[0];
      return { threadId, at: own === undefined ? {} : placeOf(own) };
    } catch {
      // The place stays unknown, for example if the thread has continued in the meantime.
      return { threadId, at: {} };
    }
  }
}

function placeOf({ name, line, source }: z.output<typeof Stack>['stackFrames'][number]): PausedAt {
  // The debugger puts the object of a method before its name.
  const own = name.split('.').at(-1) ?? name;
  return {
    ...(source?.path === undefined ? {} : { file: source.path }),
    ...(line > 0 ? { line } : {}),
    ...(/^[\w$]+$/.test(own) ? { name: own } : {}),
  };
}

/** Whether a file is the project's own, not a package's. @param folder the folder of langgraph.json */
export function isOwnFile(folder: string, file: string | undefined): boolean {
  return file !== undefined && isInside(folder, file) && !/[\\/]node_modules[\\/]/.test(file);
}
