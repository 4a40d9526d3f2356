import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RpcError } from '../../../runtime/protocol/connection.ts';
import type {
  HttpAppDescription,
  HttpBodyParams,
  InitializeResult,
} from '../../../runtime/protocol/protocol.ts';
import { readRawBytes } from '../../http/body.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import type { DeploymentRuntime } from '../../runtimes/deployment-runtime.ts';
import type { Generation } from '../../runtimes/generations/generation.ts';
import type { RuntimeProcess } from '../../runtimes/process/runtime-process.ts';
import { asUnavailable } from './ask-runtime.ts';

const MAX_BODY_BYTES = 50 * 1_048_576;
/** Headers of the connection or of the body's encoding, which must not be forwarded. */
const CONNECTION_HEADERS = new Set([
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
  /** Responses whose bodies are being received, by the IDs of their requests. */
  readonly #open = new Map<string, { readonly response: ServerResponse; readonly process: RuntimeProcess }>();
  /** Processes whose exit is watched. */
  readonly #watched = new WeakSet<RuntimeProcess>();
  /** The routes of apps that were loaded, as regular expressions. */
  readonly #compiled = new WeakMap<InitializeResult, readonly Pattern[]>();
  /**
   * Pieces of bodies that arrived before the status and headers of their response, by the IDs of their
   * requests.
   */
  readonly #early = new Map<string, HttpBodyParams[]>();

  constructor(runtime: DeploymentRuntime) {
    this.#runtime = runtime;
  }

  /**
   * Whether the project's app handles a request before the server's endpoints. This is decided without
   * asking the app.
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

  /** The app's own description of its routes; undefined before the app is loaded. */
  get description(): HttpAppDescription | undefined {
    return this.#runtime.current?.runtimeOfExtra('http_app').loaded.http_app;
  }

  /**
   * Passes a request to the app, and sends its response.
   * @param user the caller, as authenticated by the project's own `auth`.
   * @param behind whether the server's endpoints answer requests that match no route of the app.
   * @returns false, without a response, if the project has no app.
   * @throws HttpError 413 for a body that is too large, 503 if the runtime does not answer, 500 if the app
   * fails.
   */
  async answer(
    request: IncomingMessage,
    response: ServerResponse,
    { user, behind = false }: { user?: Caller['user']; behind?: boolean },
  ): Promise<boolean> {
    if (!this.exists) return false;
    const request_id = randomUUID();
    const body = await readRawBytes(request, MAX_BODY_BYTES);
    try {
      const runtime = (await this.#requireReady()).runtimeOfExtra('http_app');
      const close = () => {
        this.#open.delete(request_id);
        if (response.writableFinished) return;
        runtime.connection.tell('http.cancel', { request_id });
      };
      response.once('close', close);
      this.#early.set(request_id, []);
      const params = { request_id, ...describe(request), behind, ...withUser(user) };
      const head = await runtime.use((connection) =>
        connection.request('http.request', {
          ...params,
          body: body.length === 0 ? null : body.toString('base64'),
        }),
      );
      if (response.destroyed) {
        // The cancellation may have reached the app before the request.
        close();
        return true;
      }
      response.writeHead(head.status, head.headers.flat());
      // The headers are sent now, because a stream may be silent for a while.
      response.flushHeaders();
      this.#open.set(request_id, { response, process: runtime.process });
      this.#watch(runtime.process);
      for (const part of this.#early.get(request_id) ?? []) this.writeBody(part);
      return true;
    } catch (error) {
      if (error instanceof RpcError) throw new HttpError(500, `http.app failed: ${error.message}`);
      throw asUnavailable(error);
    } finally {
      this.#early.delete(request_id);
    }
  }

  /** Sends a piece of a response's body, which the app has produced. */
  writeBody(part: HttpBodyParams): void {
    const open = this.#open.get(part.request_id);
    if (open === undefined) {
      this.#early.get(part.request_id)?.push(part);
      return;
    }
    const { response } = open;
    if (part.data !== '') response.write(Buffer.from(part.data, 'base64'));
    if (part.done) response.end();
  }

  /** The current generation of processes. @throws HttpError 503 while there is none. */
  async #requireReady(): Promise<Generation> {
    return this.#runtime.ready().catch((error: unknown) => {
      throw asUnavailable(error);
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
  #watch(process: RuntimeProcess): void {
    if (this.#watched.has(process)) return;
    this.#watched.add(process);
    void process.exited.then(() => {
      for (const open of this.#open.values()) if (open.process === process) open.response.destroy();
    });
  }
}

interface Pattern {
  readonly pattern: RegExp;
  readonly methods?: readonly string[];
}

/**
 * Compiles a route's pattern. If it is not valid in JavaScript, every path matches, so that the app decides.
 */
function compile(pattern: string): RegExp {
  try {
    return new RegExp(pattern);
  } catch {
    return /^/;
  }
}

/** A path without percent-encoding. A path that is not validly encoded stays as it is. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A request for the app, without its body. */
function describe(request: IncomingMessage) {
  return {
    method: request.method ?? 'GET',
    url: `http://${request.headers.host ?? 'localhost'}${request.url ?? '/'}`,
    headers: headersOf(request),
  };
}

function withUser(user: Caller['user']) {
  if (user === undefined) return {};
  return { user: { ...user, permissions: [...user.permissions], fields: { ...user.fields } } };
}

/** The headers of a request that are forwarded to the app. */
function headersOf(request: IncomingMessage): [string, string][] {
  return Object.entries(request.headers).flatMap(([name, value]) =>
    value === undefined || CONNECTION_HEADERS.has(name)
      ? []
      : [[name, Array.isArray(value) ? value.join(', ') : value] satisfies [string, string]],
  );
}
