import type { Assistant } from '../../../contract/agent-server/assistants.ts';
import { HttpError, notFound } from '../../http/errors.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { Assistants } from '../assistants/assistants.ts';
import type { CustomAuthentication } from '../auth/custom-auth.ts';
import { isOwned } from '../auth/filters.ts';
import type { RunAuthor } from '../auth/run-author.ts';
import { type AssistantRow, isGraphsOwn } from '../data/assistant-store.ts';

/** Finds the assistant of a run, if the caller may see it. */
export class UsableAssistants {
  readonly #assistants: Assistants;
  readonly #auth: CustomAuthentication;
  constructor(assistants: Assistants, auth: CustomAuthentication) {
    this.#assistants = assistants;
    this.#auth = auth;
  }

  /**
   * Finds the assistant with this ID, or the default assistant of the graph with this ID. The project's handlers for
   * `assistants:read` also decide whether it can be run; everyone who may run anything may run default assistants.
   * @throws HttpError 404 for missing and for hidden ones alike; otherwise the handlers' refusal.
   */
  async resolve(ref: string, { user }: Pick<RunAuthor, 'user'>): Promise<AssistantRow> {
    const row = await this.#assistants.resolve(ref);
    if (user === undefined || isGraphsOwn(row)) return row;
    const { assistant_id } = row;
    const filters = await this.#auth.askForFilters(
      user,
      { on: 'assistants', action: 'read' },
      { assistant_id },
    );
    if (!isOwned(parseStored(row.metadata), filters)) throw notFound('Assistant', ref);
    return row;
  }

  /** The filters of a search; if the handlers refuse it, only default assistants are found. */
  async filterFor({ user }: Pick<RunAuthor, 'user'>): Promise<(assistant: Assistant) => boolean> {
    const filters = await this.#auth
      .askForFilters(user, { on: 'assistants', action: 'search' }, {})
      .catch((error: unknown) => {
        if (error instanceof HttpError && error.status === 403) return undefined;
        throw error;
      });
    return (assistant) =>
      isGraphsOwn(assistant) || (filters !== undefined && isOwned(assistant.metadata, filters));
  }
}
