import { z } from 'zod';
import { HttpError } from '../../http/errors.ts';

const Repository = z.looseObject({
  id: z.int(),
  name: z.string(),
  owner: z.looseObject({ login: z.string() }),
  html_url: z.string(),
  default_branch: z.string(),
});
type Repository = z.output<typeof Repository>;

const User = z.looseObject({ id: z.int(), login: z.string() });

const PAGE_SIZE = 100;
const MAX_PAGES = 50;
const TIMEOUT_MS = 20_000;

/** The part of GitHub's REST API that integrations need, at github.com or on an enterprise server. */
export class GithubApi {
  readonly #base: string;

  /** @param base such as `https://api.github.com`. */
  constructor(base: string) {
    this.#base = base.replace(/\/+$/, '');
  }

  /**
   * The origin of repositories. An enterprise server serves its API at the same origin; github.com and ghe.com do not.
   */
  get webOrigin(): string {
    const { origin } = new URL(this.#base);
    return origin.replace(/^https:\/\/api\.(github\.com|[\w-]+\.ghe\.com)$/, 'https://$1');
  }

  /**
   * Reads the user of a token.
   * @throws HttpError 400 when GitHub does not accept the token, 502 when GitHub limits requests or does not answer.
   */
  async readUser(token: string): Promise<{ id: number; login: string }> {
    return User.parse(await this.#get('/user', token));
  }

  /** Lists the repositories that a token can read, at most 5,000. @throws the errors of `readUser`. */
  async listRepositories(token: string): Promise<Repository[]> {
    const all: Repository[] = [];
    for (let page = 1; page <= MAX_PAGES; page++) {
      const found = await this.#get(`/user/repos?per_page=${PAGE_SIZE}&sort=full_name&page=${page}`, token);
      const repositories = z.array(Repository).parse(found);
      all.push(...repositories);
      if (repositories.length < PAGE_SIZE) break;
    }
    return all;
  }

  async #get(path: string, token: string): Promise<unknown> {
    let response: Response;
    try {
      response = await fetch(this.#base + path, {
        headers: {
          accept: 'application/vnd.github+json',
          authorization: `Bearer ${token}`,
          'user-agent': 'agent-harbor',
          'x-github-api-version': '2022-11-28',
        },
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (cause) {
      throw new HttpError(502, `Could not reach GitHub at ${this.#base}: ${String(cause)}`);
    }
    if (isLimited(response)) throw new HttpError(502, 'GitHub limits requests now. Try again later.');
    if (response.status === 401 || response.status === 403) {
      throw new HttpError(400, `GitHub does not accept this token (status ${response.status}).`);
    }
    if (!response.ok)
      throw new HttpError(502, `GitHub answered with status ${response.status}. Try again later.`);
    return response.json();
  }
}

/** Whether GitHub refused a request because there were too many. It does so with 403, too. */
function isLimited({ status, headers }: Response): boolean {
  if (status === 429) return true;
  return status === 403 && (headers.get('x-ratelimit-remaining') === '0' || headers.has('retry-after'));
}
