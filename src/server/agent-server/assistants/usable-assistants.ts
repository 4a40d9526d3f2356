import type { Assistant } from '../../../contract/agent-server/assistants.ts';
import { HttpError, notFound } from '../../http/errors.ts';
import { parseStored } from '../../storage/stored-json.ts';
import type { CustomAuthentication } from '../auth/custom-auth.ts';
import { matchesFilters } from '../auth/filters.ts';
import type { RunAuthor } from '../auth/run-author.ts';
import { type AssistantRow, isDefaultAssistant } from '../data/assistant-store.ts';
import type { Assistants } from './assistants.ts';

/** Finds the assistants that a caller may use. */
export class UsableAssistants {
  readonly #assistants: Assistants;
  readonly #auth: CustomAuthentication;
  constructor(assistants: Assistants, auth: CustomAuthentication) {
    this.#assistants = assistants;
    this.#auth = auth;
  }

  /**
   * Finds the assistant with this ID, or the default assistant of the graph with this ID. The project's
   * handlers for `assistants:read` also decide whether it can be run. Everyone who may run anything may run
   * default assistants.
   * @throws HttpError 404 if the assistant is missing or hidden from the user, or the handlers' refusal.
   */
  async resolve(ref: string, { user }: Pick<RunAuthor, 'user'>): Promise<AssistantRow> {
    const row = await this.#assistants.resolve(ref);
    if (user === undefined || isDefaultAssistant(row)) return row;
    const { assistant_id } = row;
    const filters = await this.#auth.askForFilters(
      user,
      { on: 'assistants', action: 'read' },
      { assistant_id },
    );
    if (!matchesFilters(parseStored(row.metadata), filters)) throw notFound('Assistant', ref);
    return row;
  }

  /**
   * A filter for the assistants that a user may find. If the handlers refuse the search, only default
   * assistants are found.
   */
  async filterFor({ user }: Pick<RunAuthor, 'user'>): Promise<(assistant: Assistant) => boolean> {
    const filters = await this.#auth
      .askForFilters(user, { on: 'assistants', action: 'search' }, {})
      .catch((error: unknown) => {
        if (error instanceof HttpError && error.status === 403) return undefined;
        throw error;
      });
    return (assistant) =>
      isDefaultAssistant(assistant) || (filters !== undefined && matchesFilters(assistant.metadata, filters));
  }
}
