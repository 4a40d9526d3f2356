import { v7 as uuidv7 } from 'uuid';
import type { GithubIntegration, GithubRepository } from '../../../contract/control-plane/integrations.ts';
import { HttpError } from '../../http/errors.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { GitAccess } from '../builds/sources/git-access.ts';
import { associatedData } from '../secrets/associated-data.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { GithubApi } from './github-api.ts';

/** GitHub accounts that a workspace may deploy from; their tokens are encrypted at rest. */
export class GithubIntegrations {
  readonly #db: StateDatabase;
  readonly #box: SecretBox;
  readonly #api: GithubApi;

  constructor(db: StateDatabase, box: SecretBox, api: GithubApi) {
    this.#db = db;
    this.#box = box;
    this.#api = api;
  }

  list(workspaceId: string): Promise<GithubIntegration[]> {
    return this.#db
      .selectFrom('github_integrations')
      .select(['id', 'installation_id', 'name'])
      .where('workspace_id', '=', workspaceId)
      .orderBy('created_at')
      .execute();
  }

  /**
   * Stores the token of a GitHub account as an integration.
   * @throws HttpError 400 when GitHub does not accept it, 502 when GitHub does not answer.
   */
  async create(workspaceId: string, given: { name: string; token: string }): Promise<GithubIntegration> {
    const user = await this.#api.readUser(given.token);
    const id = uuidv7();
    await this.#db
      .insertInto('github_integrations')
      .values({
        id,
        workspace_id: workspaceId,
        // A token belongs to a user, not to an installation of an app; the API has only this field.
        installation_id: user.id,
        name: given.name,
        sealed: this.#box.seal(given.token, associatedData.githubIntegration(id)),
        created_at: new Date().toISOString(),
      })
      .execute();
    return { id, installation_id: user.id, name: given.name };
  }

  /** @throws HttpError 404 */
  async delete(workspaceId: string, id: string): Promise<void> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('github_integrations')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw integrationNotFound(id);
  }

  /** @throws HttpError 404, and the errors of `GithubApi`. */
  async listRepositories(workspaceId: string, id: string): Promise<GithubRepository[]> {
    const token = await this.readToken(workspaceId, id);
    if (token === undefined) throw integrationNotFound(id);
    const found = await this.#api.listRepositories(token);
    return found.map((repository) => ({
      host_integration_id: id,
      id: repository.id,
      name: repository.name,
      owner: repository.owner.login,
      url: repository.html_url,
      default_branch: repository.default_branch,
    }));
  }

  /**
   * Reads the git credentials for a repository of an integration.
   * @returns undefined when the repository is on another host, or the workspace does not have the integration: git then
   * uses its own credentials.
   */
  async findAccess(workspaceId: string, id: string, repositoryUrl: string): Promise<GitAccess | undefined> {
    const origin = this.#api.webOrigin;
    // The token must not be sent to any other host.
    if (URL.parse(repositoryUrl)?.origin !== origin) return undefined;
    const token = await this.readToken(workspaceId, id);
    return token === undefined ? undefined : { origin, token };
  }

  /** Reads the token of an integration; undefined when the workspace does not have the integration. */
  async readToken(workspaceId: string, id: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('github_integrations')
      .select('sealed')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row === undefined ? undefined : this.#box.open(row.sealed, associatedData.githubIntegration(id));
  }
}

function integrationNotFound(id: string): HttpError {
  return new HttpError(404, `Integration ID ${id} not found.`);
}
