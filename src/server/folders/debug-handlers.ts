import type { debugging as debuggingEndpoints } from '../../contract/debugging.ts';
import { conflict } from '../http/errors.ts';
import type { Handlers } from '../http/router.ts';
import { DebuggedAlreadyError, NotDebuggedError } from '../runtimes/generations/debugging.ts';
import type { OpenFolders } from './open-folders.ts';

/** Connects the debugger of an editor to the graphs of an open folder. */
export function debugHandlers(folders: OpenFolders): Handlers<typeof debuggingEndpoints> {
  return {
    debug: async ({ caller, params, body }, open) => {
      // Events that arrive before the stream is open are sent when it is.
      const events: object[] = [];
      let tell = (event: object): unknown => events.push(event);
      let endStream = (): void => {};
      const end = asConflict(() =>
        folders.debug(caller, params.deployment_id, {
          tell: (event) => tell(event),
          end: () => endStream(),
          debugpy: body.debugpy,
        }),
      );
      const stream = open();
      endStream = () => stream.end();
      tell = (event) => stream.send('debug', event);
      for (const event of events) tell(event);
      await stream.closed;
      end();
    },
    tellDebugged: ({ caller, params, body }) => {
      asConflict(() => folders.tellDebugged(caller, params.deployment_id, params.process_id, body));
      return undefined;
    },
    writeLog: ({ caller, params, body: { message, run_id, thread_id } }) => {
      folders.log(caller, params.deployment_id).write('INFO', message, run_id, thread_id);
      return undefined;
    },
  };
}

/** Turns errors of debugging into HTTP errors. @throws HttpError 409 */
function asConflict<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof DebuggedAlreadyError || error instanceof NotDebuggedError)
      throw conflict(error.message);
    throw error;
  }
}
