import type { Assistant } from '../../../contract/agent-server/assistants.ts';
import { HttpError, notFound } from '../../http/errors.ts';
import { parseStored } from '../../storage/stored-json.ts';
import { type AssistantRow, isGraphsOwn } from '../assistants/assistant-store.ts';
import type { Assistants } from '../assistants/assistants.ts';
import type { RunAuthor } from '../runs/run-author.ts';
import type { CustomAuthentication } from './custom-auth.ts';
import { isOwned } from './owned-resources.ts';

/** Finds the assistants that requests want to run, for those who may see them. */
export class UsableAssistants {
  readonly #assistants: Assistants;
  readonly #auth: CustomAuthentication;
  constructor(assistants: Assistants, auth: CustomAuthentication) {
    this.#assistants = assistants;
    this.#auth = auth;
  }

  /**
   * The assistant that an id, or the id of a graph, names. What the project's handlers of `assistants:read` say of
   * GET /assistants/{assistant_id} counts for running it as well; a graph's own assistant is for everybody who may run.
   * @throws HttpError 404 when there is none or it is hidden, both in the same words; else what the handlers refuse with.
   */
  async resolve(ref: string, { user }: Pick<RunAuthor, 'user'>): Promise<AssistantRow> {
    const row = await this.#assistants.resolve(ref);
    if (user === undefined || isGraphsOwn(row)) return row;
    const { assistant_id } = row;
    const filters = await this.#auth.filtersOf(
      user,
      { resource: 'assistants', action: 'read' },
      { assistant_id },
    );
    if (!isOwned(parseStored(row.metadata), filters)) throw notFound('Assistant', ref);
    return row;
  }

  /** Which assistants a search of theirs finds beside those of graphs: none where the handlers refuse to search. */
  async findableBy({ user }: Pick<RunAuthor, 'user'>): Promise<(assistant: Assistant) => boolean> {
    const filters = await this.#auth
      .filtersOf(user, { resource: 'assistants', action: 'search' }, {})
      .catch((error: unknown) => {
        if (error instanceof HttpError && error.status === 403) return undefined;
        throw error;
      });
    return (assistant) =>
      isGraphsOwn(assistant) || (filters !== undefined && isOwned(assistant.metadata, filters));
  }
}
