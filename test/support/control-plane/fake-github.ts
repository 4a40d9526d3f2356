import { execFile, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import { portOf } from '../../../src/server/http/port-of.ts';

/** A fake of GitHub: the part of its public REST API that integrations use, and git over http with the same token. */
export interface FakeGithub extends AsyncDisposable {
  /** The address of its API. */
  readonly api: string;
  /** The web address of a repository, which git clones. */
  repositoryUrl(name: string): string;
  /** Every Authorization header that git sent. */
  readonly gitCredentials: string[];
}

export interface FakeGithubOptions {
  /** The only token that it accepts. */
  readonly token: string;
  /** Bare repositories, by name; all of them private. */
  readonly repositories: Readonly<Record<string, string>>;
  /** Repositories that only exist in lists, to fill pages. */
  readonly listed?: number;
}

const OWNER = 'octocat';

export async function fakeGithub(options: FakeGithubOptions): Promise<FakeGithub> {
  const { stdout } = await promisify(execFile)('git', ['--exec-path']);
  const backend = path.join(stdout.trim(), 'git-http-backend');
  const gitCredentials: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const api = /^\/api\/v3(\/.*)$/.exec(url.pathname)?.[1];
    if (api !== undefined) answerApi(api, url.searchParams, request, response);
    else answerGit(url, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = portOf(server);
  const origin = `http://127.0.0.1:${port}`;

  function answerApi(
    route: string,
    query: URLSearchParams,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.headers.authorization !== `Bearer ${options.token}`) {
      send(401, { message: 'Bad credentials', documentation_url: 'https://docs.github.com/rest' });
    } else if (route === '/user') {
      send(200, { id: 583_231, login: OWNER });
    } else if (route === '/user/repos') {
      const names = [
        ...Object.keys(options.repositories),
        ...Array.from({ length: options.listed ?? 0 }, (_, index) => `listed-${index}`),
      ];
      const size = Number(query.get('per_page') ?? 30);
      const start = (Number(query.get('page') ?? 1) - 1) * size;
      send(
        200,
        names.slice(start, start + size).map((name, index) => ({
          id: start + index + 1,
          name,
          full_name: `${OWNER}/${name}`,
          private: true,
          owner: { login: OWNER },
          html_url: `${origin}/${OWNER}/${name}`,
          default_branch: 'main',
        })),
      );
    } else send(404, { message: 'Not Found' });
  }

  /**
   * git's own server, behind the credentials that GitHub accepts: any name, and the token as the password.
   */
  function answerGit(url: URL, request: IncomingMessage, response: ServerResponse): void {
    const [, name, rest] = new RegExp(`^/${OWNER}/([\\w-]+?)(?:\\.git)?(/.*)$`).exec(url.pathname) ?? [];
    const dir = options.repositories[name ?? ''];
    const given = request.headers.authorization;
    if (given !== undefined) gitCredentials.push(given);
    const password = Buffer.from(given?.slice('Basic '.length) ?? '', 'base64').toString();
    if (dir === undefined || password !== `x-access-token:${options.token}`) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="GitHub"' }).end();
      return;
    }
    const child = spawn(backend, {
      env: {
        ...process.env,
        GIT_PROJECT_ROOT: dir,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        PATH_INFO: rest,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method ?? 'GET',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      },
    });
    request.pipe(child.stdin);
    let head = '';
    child.stdout.on('data', (chunk: Buffer) => {
      if (response.headersSent) {
        response.write(chunk);
        return;
      }
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      const headers = head
        .slice(0, end)
        .split('\r\n')
        .map((line) => line.split(': '));
      const status = headers.find(([key]) => key === 'Status')?.[1];
      for (const [key = '', value = ''] of headers) if (key !== 'Status') response.setHeader(key, value);
      response.writeHead(status === undefined ? 200 : Number.parseInt(status, 10));
      response.write(Buffer.from(head.slice(end + 4), 'latin1'));
    });
    child.once('close', () => response.end());
  }

  return {
    api: `${origin}/api/v3`,
    repositoryUrl: (name) => `${origin}/${OWNER}/${name}`,
    gitCredentials,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
