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
   * Finds the assistant of an ID or graph ID. The project's handlers of `assistants:read` apply to running it
   * as well; the default assistant of a graph can be run by everyone who may run.
   * @throws HttpError 404, the same for missing and hidden ones; else the refusal of the handlers.
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
