import assert from 'node:assert/strict';
import { z } from 'zod';
import { Client } from '../../src/client/client.ts';
import { localConnection } from '../../src/client/connection.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { FeedbackLinks } from '../../src/extension/panels/run/feedback-links.ts';
import { Journal } from '../../src/extension/panels/run/journal.ts';
import { usualOptions } from '../../src/extension/panels/run/messages.ts';
import { RunSession } from '../../src/extension/panels/run/run-session.ts';
import { play } from '../../src/webviews/run/transcript.ts';
import { emptyTranscript, type Transcript } from '../../src/webviews/run/transcript-model.ts';
import { serveProject } from './served-project.ts';

/** Serves the graph `chat`, whose source this is. @returns the project, and a client of its server */
export async function serveChat(
  source: string,
): Promise<AsyncDisposable & { folder: string; client: Client }> {
  const cleanup = new AsyncDisposableStack();
  const files = {
    'langgraph.json': JSON.stringify({ graphs: { chat: './chat.mjs:graph' } }),
    'chat.mjs': source,
  };
  const served = cleanup.use(await serveProject({ empty: true, files }));
  const dispatcher = cleanup.adopt(createDispatcher(), (made) => made.destroy());
  const { platformUrl: baseUrl, apiKey, url: deploymentUrl, project } = served;
  const connection = localConnection({ baseUrl, apiKey, deploymentUrl });
  return {
    folder: project.folder,
    client: new Client({ connection, dispatcher }),
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}

/** The state of a graph of messages. */
export const ChatState = z.looseObject({
  messages: z.array(z.looseObject({ content: z.string() })).default([]),
});

/** A run panel without its webview: its content, and the actions of its buttons. */
export class SessionPanel {
  readonly session: RunSession;
  #shown: Transcript = emptyTranscript;

  constructor(client: Client, threadId?: string, schemaRetryMs = 100) {
    const journal = new Journal();
    this.session = new RunSession({
      assistantId: 'chat',
      threadId,
      journal,
      feedback: new FeedbackLinks(async () => client),
      feedbackKeys: () => [],
      maxCost: () => undefined,
      deployment: async () => ({ client, name: 'chat', place: 'chat', isProduction: false, isLive: false }),
      writeLog: async () => {},
      clock: { now: () => 0, heldMs: () => 0 },
      onSchemas: () => {
        this.hasLateSchemas = true;
      },
      schemaRetryMs,
      onError: (error) => this.errors.push(error),
    });
    journal.play((entries) => {
      this.#shown = play(this.#shown, entries);
    });
  }

  readonly errors: unknown[] = [];
  /** Whether schemas have arrived after the session was read. */
  hasLateSchemas = false;

  send(content: string, multitask_strategy?: 'interrupt' | 'rollback' | 'reject' | 'enqueue') {
    return this.session.start(inputOf(content), {
      ...usualOptions,
      ...(multitask_strategy && { multitask_strategy }),
    });
  }

  get queue(): readonly string[] {
    return this.#shown.queue.map(({ input }) => ChatState.parse(input).messages[0]?.content ?? '');
  }

  idOf(content: string): string {
    return this.#shown.queue[this.queue.indexOf(content)]?.run_id ?? assert.fail(`${content} does not wait`);
  }

  get status(): Transcript['status'] {
    return this.#shown.status;
  }

  /** The thread that the panel shows. */
  get threadId(): string | undefined {
    return this.#shown.threadId;
  }

  /** The texts of the conversation. */
  get said(): readonly string[] {
    return this.#shown.rows.flatMap((row) => (row.kind === 'human' || row.kind === 'ai' ? [row.text] : []));
  }
}

export function inputOf(content: string) {
  return { input: { messages: [{ type: 'human', content }] } };
}
