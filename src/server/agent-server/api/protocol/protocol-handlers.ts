import {
  ProtocolCommand,
  type ProtocolResponse,
  protocol as protocolEndpoints,
} from '../../../../contract/agent-server/protocol.ts';
import { HttpError } from '../../../http/errors.ts';
import { frame } from '../../../http/event-stream.ts';
import { Reply } from '../../../http/reply.ts';
import type { Call, Handlers } from '../../../http/router.ts';
import type { Logger } from '../../../logger.ts';
import type { CustomAuthentication } from '../../auth/custom-auth.ts';
import type { AuthorOf } from '../../auth/run-author.ts';
import { type ThreadSource, threadExists } from '../follow-thread.ts';
import { toCommand } from './parse-command.ts';
import type { ProtocolCommands } from './protocol-commands.ts';
import { errorResponse } from './protocol-error.ts';
import { readProtocolFeed } from './protocol-feed.ts';
import { matches } from './protocol-filter.ts';
import { ProtocolSocket } from './protocol-socket.ts';

export interface ProtocolHandlersOptions {
  readonly source: ThreadSource;
  readonly commands: ProtocolCommands;
  readonly authorOf: AuthorOf;
  readonly auth: Pick<CustomAuthentication, 'authorize'>;
  readonly logger: Logger;
}

/**
 * Handlers for the v2 streaming protocol (docs/interface/agent-server.md#v2-protocol). A malformed command is
 * answered with 400, and a failed one with 200 and `{type: "error"}`. Events are numbered, and sent over SSE
 * or a WebSocket from `since` or `Last-Event-ID` on.
 */
export function protocolHandlers(options: ProtocolHandlersOptions): Handlers<typeof protocolEndpoints> {
  const { source, commands, authorOf, auth, logger } = options;
  return {
    commands: async (call) => {
      const command = toCommand(call.body);
      if ('type' in command) return new Reply(command, { status: 400 });
      try {
        return await commands.execute(call.params.thread_id, command, authorOf(call));
      } catch (error) {
        const known = errorResponse(command.id, error);
        if (known === undefined) throw error;
        return known;
      }
    },
    events: async (call, open) => {
      const { params, body, headers } = call;
      const lastEventId = Number(headers['last-event-id']);
      const since = body.since ?? (Number.isSafeInteger(lastEventId) ? lastEventId : undefined);
      const reader = open();
      const gone = new AbortController();
      void reader.closed.then(() => gone.abort());
      // SDKs choose a thread ID and subscribe before the first run creates the thread. Access can only be
      // checked once the thread exists.
      if (await waitForThread(source, params.thread_id, gone.signal)) {
        try {
          await auth.authorize(protocolEndpoints.events, call);
        } catch (error) {
          // The status has been sent, so a refusal can only end the stream. Other errors are logged, and break it off.
          if (error instanceof HttpError && error.status < 500) return reader.end();
          throw error;
        }
      }
      const feed = readProtocolFeed(source, params.thread_id, {
        wants: (event) => matches(body, event),
        since,
        signal: gone.signal,
      });
      for await (const { events } of feed) {
        const frames = events.map((event) => frame(event.method, JSON.stringify(event), event.event_id));
        if (!reader.write(frames.join(''))) await reader.waitForDrain();
      }
      reader.end();
    },
    socket: (call, socket) =>
      new ProtocolSocket(socket, {
        source,
        threadId: call.params.thread_id,
        execute: (command) => executeFromSocket(options, call, command),
        logger,
      }).serve(),
  };
}

/** Executes a command from a WebSocket. Commands are the same as over HTTP, and need the same access. */
async function executeFromSocket(
  { commands, authorOf, auth }: ProtocolHandlersOptions,
  { params, caller, headers }: Call<typeof protocolEndpoints.socket>,
  command: ProtocolCommand,
): Promise<ProtocolResponse> {
  const asCall = { params, query: undefined, body: command, caller };
  // The project's handlers may change the call.
  await auth.authorize(protocolEndpoints.commands, asCall);
  const author = authorOf({ headers, caller: asCall.caller });
  return commands.execute(asCall.params.thread_id, ProtocolCommand.parse(asCall.body), author);
}

/** Waits until a thread exists. @returns whether it did not exist before. */
async function waitForThread(source: ThreadSource, threadId: string, signal: AbortSignal): Promise<boolean> {
  for (let waited = false; ; waited = true) {
    const change = source.db.bus.next(`thread:${threadId}`, signal);
    if (signal.aborted || (await threadExists(source, threadId))) return waited;
    await change;
  }
}
