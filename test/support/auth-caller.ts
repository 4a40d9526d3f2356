import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { WebSocket } from 'ws';
import { JsonObject } from '../../src/contract/fields.ts';
import { requirePython, servablePythonProject } from './python-projects.ts';
import { type HandlerScripts, scriptedAuth } from './scripted-auth.ts';
import { type ServedProject, serveProject } from './served-project.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A request from a user. */
export interface UserRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Whether the response does not end by itself; then only its status is read. */
  readonly endless?: boolean;
  readonly socket?: boolean;
}

export interface UserAnswer {
  readonly status: number;
  readonly text: string;
  /** The body, when it is JSON. */
  readonly json: unknown;
  /** The body, when it is a JSON object. */
  readonly object: JsonObject;
  /** The events that the project's handlers were called for. */
  readonly asked: readonly string[];
}

export type AuthLanguage = keyof typeof scriptedAuth;

/** An agent server with a project whose `auth` does what each request says. */
export class AuthCaller implements AsyncDisposable {
  readonly served: ServedProject;
  readonly #asked: string;
  readonly #cleanup: AsyncDisposableStack;

  private constructor(served: ServedProject, asked: string, cleanup: AsyncDisposableStack) {
    this.served = served;
    this.#asked = asked;
    this.#cleanup = cleanup;
  }

  /** @param context of a `before`, which is skipped where there is no Python. */
  static async start(
    context: Mocha.Context,
    language: AuthLanguage,
    files: Readonly<Record<string, string>> = {},
    config: Readonly<Record<string, unknown>> = {},
  ): Promise<AuthCaller> {
    const { files: authFiles, path: authPath } = scriptedAuth[language];
    const python = language === 'python' ? await requirePython(context, 'langgraph-1.2') : undefined;
    await using cleanup = new AsyncDisposableStack();
    const asked = path.join(cleanup.use(await temporaryFolder()).path, 'asked.txt');
    await writeFile(asked, '');
    const all = { ...authFiles, ...files };
    const project =
      python === undefined ? { files: all } : { given: await servablePythonProject(python, { files: all }) };
    const served = cleanup.use(
      await serveProject({
        ...project,
        config: { auth: { path: authPath }, env: { ASKED: asked }, ...config },
      }),
    );
    return new AuthCaller(served, asked, cleanup.move());
  }

  async ask(user: string, request: UserRequest, scripts: HandlerScripts = {}): Promise<UserAnswer> {
    const call = randomUUID();
    const headers = {
      'x-user': user,
      'x-call': call,
      'x-script': JSON.stringify(scripts),
      accept: 'application/json, text/event-stream',
    };
    const { status, text } = request.socket
      ? await openSocket(`${this.served.url.replace('http', 'ws')}${request.path}`, headers)
      : await send(`${this.served.url}${request.path}`, request, headers);
    const json = parse(text);
    // Python on Windows ends lines with \r\n.
    const lines = (await readFile(this.#asked, 'utf8')).split(/\r?\n/);
    const asked = lines.filter((line) => line.startsWith(call)).map((line) => line.slice(call.length + 1));
    return { status, text, json, object: JsonObject.catch({}).parse(json), asked };
  }

  /** Sends a request that must succeed. @returns the JSON object of the answer. */
  async must(user: string, request: UserRequest, scripts: HandlerScripts = {}): Promise<JsonObject> {
    const { status, text, object } = await this.ask(user, request, scripts);
    if (status >= 300) throw new Error(`${request.method} ${request.path}: ${status} ${text}`);
    return object;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#cleanup.disposeAsync();
  }
}

async function send(url: string, { method, body, endless }: UserRequest, headers: Record<string, string>) {
  const response = await fetch(url, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { status } = response;
  if (endless !== true || status >= 300) return { status, text: await response.text() };
  await response.body?.cancel();
  return { status, text: '' };
}

async function openSocket(url: string, headers: Record<string, string>) {
  const socket = new WebSocket(url, { headers });
  const refused = once(socket, 'unexpected-response').then(([, response]) => Number(response.statusCode));
  const status = await Promise.race([once(socket, 'open').then(() => 101), refused]);
  socket.on('error', () => {});
  socket.terminate();
  return { status, text: '' };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
