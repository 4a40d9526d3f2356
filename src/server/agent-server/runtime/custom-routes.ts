import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ConnectionClosedError, RpcError } from '../../../runtime/protocol/connection.ts';
import type {
  HttpAppDescription,
  HttpBodyParams,
  InitializeResult,
} from '../../../runtime/protocol/protocol.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import type { Generation } from '../../runtimes/generations/generation.ts';
import { RuntimeUnavailableError } from '../../runtimes/process/runtime-errors.ts';
import type { RuntimeProcess } from '../../runtimes/process/runtime-process.ts';

const BODY_LIMIT = 50 * 1_048_576;
/** Hop-by-hop headers, which must not be forwarded. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'te',
]);

/** The routes of a project's own `http.app`, answered by the graph runtime. */
export class CustomRoutes {
  readonly #runtime: DeploymentRuntime;
  readonly #open = new Map<string, { readonly response: ServerResponse; readonly process: RuntimeProcess }>();
  /** Processes whose exit is watched. */
  readonly #followed = new WeakSet<RuntimeProcess>();
  readonly #compiled = new WeakMap<InitializeResult, readonly Pattern[]>();
  readonly #early = new Map<string, HttpBodyParams[]>();

  constructor(runtime: DeploymentRuntime) {
    this.#runtime = runtime;
  }

  /**
   * Whether the project's app handles a request before the server's endpoints. Decided without asking the app.
   * @throws HttpError when the app failed to load.
   */
  async handles({ method = 'GET', url = '/' }: IncomingMessage): Promise<boolean> {
    if (!this.exists) return false;
    const { loaded } = (await this.#requireReady()).runtimeOfExtra('http_app');
    const failed = loaded.failed_extras?.find(({ name }) => name === 'http_app');
    if (failed !== undefined) throw new HttpError(500, `http.app failed: ${failed.error.message}`);
    const path = decodePath(url.split('?', 1)[0] ?? '/');
    return this.#patterns(loaded).some(
      ({ pattern, methods }) => (methods?.includes(method) ?? true) && pattern.test(path),
    );
  }

  get exists(): boolean {
    return this.#runtime.project?.config.http?.app != null;
  }

  /** The routes in the app's own description; empty before it is loaded. */
  get description(): HttpAppDescription | undefined {
    return this.#runtime.current?.runtimeOfExtra('http_app').loaded.http_app;
  }

  /**
   * @param user the caller, as authenticated by the project's own `auth`.
   * @param behind whether the server's endpoints answer requests that match no route of the app.
   * @returns false when the project has no app.
   */
  async answer(
    request: IncomingMessage,
    response: ServerResponse,
    { user, behind = false }: { user?: Caller['user']; behind?: boolean },
  ): Promise<boolean> {
    if (!this.exists) return false;
    const request_id = randomUUID();
    const body = await readBody(request);
    try {
      const runtime = (await this.#requireReady()).runtimeOfExtra('http_app');
      const closed = () => {
        this.#open.delete(request_id);
        if (response.writableFinished) return;
        runtime.connection.tell('http.cancel', { request_id });
      };
      response.once('close', closed);
      this.#early.set(request_id, []);
      const head = await runtime.use((connection) =>
        connection.request('http.request', {
          request_id,
          method: request.method ?? 'GET',
          url: `http://${request.headers.host ?? 'localhost'}${request.url ?? '/'}`,
          headers: headersOf(request),
          body: body.length === 0 ? null : body.toString('base64'),
          behind,
          ...(user === undefined
            ? {}
            : { user: { ...user, permissions: [...user.permissions], fields: { ...user.fields } } }),
        }),
      );
      if (response.destroyed) {
        // The cancellation may have reached the app before the request.
        closed();
        return true;
      }
      response.writeHead(head.status, head.headers.flat());
      // A stream may be silent for a while.
      response.flushHeaders();
      this.#open.set(request_id, { response, process: runtime.process });
      this.#follow(runtime.process);
      for (const part of this.#early.get(request_id) ?? []) this.body(part);
      return true;
    } catch (error) {
      if (error instanceof ConnectionClosedError)
        throw new HttpError(503, 'The graph runtime stopped unexpectedly. Try again.');
      if (error instanceof RpcError) throw new HttpError(500, `http.app failed: ${error.message}`);
      throw error;
    } finally {
      this.#early.delete(request_id);
    }
  }

  /** Takes a piece of a response's body. */
  body(part: HttpBodyParams): void {
    const open = this.#open.get(part.request_id);
    if (open === undefined) {
      this.#early.get(part.request_id)?.push(part);
      return;
    }
    const { response } = open;
    if (part.data !== '') response.write(Buffer.from(part.data, 'base64'));
    if (part.done) response.end();
  }

  /** @throws HttpError 503 */
  async #requireReady(): Promise<Generation> {
    return this.#runtime.ready().catch((error: unknown) => {
      throw error instanceof RuntimeUnavailableError ? new HttpError(503, error.message) : error;
    });
  }

  #patterns(loaded: InitializeResult): readonly Pattern[] {
    const known = this.#compiled.get(loaded);
    if (known !== undefined) return known;
    const compiled = (loaded.http_app?.routes ?? []).map(({ pattern, methods }) => ({
      pattern: compile(pattern),
      ...(methods === undefined ? {} : { methods }),
    }));
    this.#compiled.set(loaded, compiled);
    return compiled;
  }

  /** Ends a process's open responses when the process ends. */
  #follow(process: RuntimeProcess): void {
    if (this.#followed.has(process)) return;
    this.#followed.add(process);
    void process.exited.then(() => {
      for (const open of this.#open.values()) if (open.process === process) open.response.destroy();
    });
  }
}

interface Pattern {
  readonly pattern: RegExp;
  readonly methods?: readonly string[];
}

/** Compiles a pattern. One that is not valid in JavaScript matches everything, so that the app decides. */
function compile(pattern: string): RegExp {
  try {
    return new RegExp(pattern);
  } catch {
    return /^/;
  }
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function headersOf(request: IncomingMessage): [string, string][] {
  return Object.entries(request.headers).flatMap(([name, value]) =>
    value === undefined || HOP_BY_HOP.has(name)
      ? []
      : [[name, Array.isArray(value) ? value.join(', ') : value] satisfies [string, string]],
  );
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > BODY_LIMIT) throw new HttpError(413, 'The body is larger than 50 MiB.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
