import type { z } from 'zod';
import { JsonObject, Uuid } from '../../../contract/fields.ts';
import { objectAt } from '../../../process/objects.ts';
import type { CustomAuthentication } from './custom-auth.ts';
import { changedParts, eventValue } from './event-value.ts';
import { asMetadata, type Filters } from './filters.ts';
import { HandlerError } from './handler-error.ts';
import { identityFields, type RunAuthor } from './run-author.ts';

/** A request for a run, from any API. */
export interface AskedRun<Request> {
  readonly runId: string;
  /** Null for a new thread that the run creates. */
  readonly threadId: string | null;
  readonly request: Request;
  readonly author: RunAuthor;
}

/** The run with the changes of the project's handlers. */
export interface AuthorizedRun<Request> extends AskedRun<Request> {
  /** Filters that the metadata of an existing thread must match. */
  readonly filters: Filters;
}

const CREATE_RUN = { on: 'threads', action: 'create_run' } as const;

/**
 * Authorizes each run with the project's handlers for `threads.create_run`, for every API that creates runs.
 */
export class RunAuthorization {
  readonly #auth: Pick<CustomAuthentication, 'isOn' | 'ask' | 'checked'>;
  constructor(auth: Pick<CustomAuthentication, 'isOn' | 'ask' | 'checked'>) {
    this.#auth = auth;
  }

  /**
   * Asks the handlers, and applies their changes to the run.
   * @param schema the schema of the request, which the handlers' changes must match.
   * @throws HttpError when the handlers refuse; HandlerError for changes that cannot be applied.
   */
  async authorize<Schema extends z.ZodType<object>>(
    schema: Schema,
    asked: AskedRun<z.output<Schema>>,
  ): Promise<AuthorizedRun<z.output<Schema>>> {
    const { user } = asked.author;
    if (!this.#auth.isOn || user === undefined) return { ...asked, filters: {} };
    const body = JsonObject.parse(asked.request);
    const config = JsonObject.catch({}).parse(body.config);
    const configurable = { ...objectAt(config, 'configurable'), ...asked.author.configurable };
    const parts = { body: { ...body, config: { ...config, configurable } } };
    const before = { ...eventValue(CREATE_RUN, { body: schema }, parts), ...detailsOf(asked) };
    const { value: after, filters } = await this.#auth.ask(user, CREATE_RUN, before);
    const changed = this.#auth.checked(() => ({
      threadId: threadAfter(asked, after),
      body: changedParts(CREATE_RUN, { body: schema }, parts, { before, after }).body ?? parts.body,
    }));
    // The author's fields are separated from the request's again. A field of both stays in both.
    const changedConfig = objectAt(changed.body, 'config');
    const isOfAuthor = ([name]: [string, unknown]) => Object.hasOwn(asked.author.configurable, name);
    const isRequested = ([name]: [string, unknown]) => Object.hasOwn(objectAt(config, 'configurable'), name);
    const entries = Object.entries(objectAt(changedConfig, 'configurable'));
    return {
      runId: asked.runId,
      threadId: changed.threadId,
      request: schema.parse({
        ...changed.body,
        config: {
          ...changedConfig,
          configurable: Object.fromEntries(
            entries.filter((entry) => isRequested(entry) || !isOfAuthor(entry)),
          ),
        },
      }),
      author: {
        user,
        threadMetadata: { ...asked.author.threadMetadata, ...asMetadata(filters) },
        // Graphs rely on the user, even if a handler replaces the config.
        configurable: {
          user_id: user.identity,
          ...Object.fromEntries(entries.filter(isOfAuthor)),
          ...identityFields(user),
        },
      },
      filters,
    };
  }
}

/** The fields that the public SDK's type (`RunsCreate`) has in addition to the request. */
function detailsOf({ runId, threadId, request }: AskedRun<object>): JsonObject {
  const { multitask_strategy } = JsonObject.parse(request);
  return {
    thread_id: threadId,
    run_id: runId,
    status: 'pending',
    prevent_insert_if_inflight: multitask_strategy === 'reject',
  };
}

/**
 * The thread of a run after the handlers' changes. They cannot move a run that creates its thread to another
 * thread.
 */
function threadAfter({ threadId }: AskedRun<object>, { thread_id }: JsonObject): string | null {
  if (threadId === null || thread_id === undefined || thread_id === null) return threadId;
  const changed = Uuid.safeParse(thread_id);
  if (changed.success) return changed.data;
  throw new HandlerError(
    'The auth handler of threads:create_run changed thread_id to something that is not a UUID.',
  );
}
