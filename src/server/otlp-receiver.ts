import { otlp } from '../contract/tracing/otlp.ts';
import type { Caller } from './http/caller.ts';
import { dispatcher } from './http/dispatch.ts';
import { conflict } from './http/errors.ts';
import { Origin, PortTakenError } from './http/origin.ts';
import { loopbackOnly } from './http/origin-policy.ts';
import { Router } from './http/router.ts';
import type { Logger } from './logger.ts';
import type { Tracing } from './traces-thread/tracing.ts';

/** An open port, or one that is being opened, and the destination of the spans that arrive there. */
interface Receiving {
  readonly origin: Promise<Origin>;
  readonly workspaceId: string;
  readonly project: string | undefined;
}

/** The paths of OpenTelemetry's exporters, and the corresponding paths with a key. */
const PATHS: ReadonlyMap<string, string> = new Map([
  ['/v1/traces', otlp.traces.path],
  ['/v1/logs', otlp.logs.path],
]);

/** The holder for clients that open the receiver without a name. */
const ANONYMOUS = '';

/**
 * Receives OpenTelemetry data on a loopback port without a key, because OpenTelemetry SDKs send to one by
 * default. As on other ports, requests for another host name, or from web pages of other machines, are
 * refused.
 */
export class OtlpReceiver {
  readonly #tracing: Tracing;
  readonly #logger: Logger;
  #open: Receiving | undefined;
  /** The clients that have opened the receiver and not closed it. */
  readonly #holders = new Set<string>();

  constructor(tracing: Tracing, logger: Logger) {
    this.#tracing = tracing;
    this.#logger = logger;
  }

  /**
   * Starts listening, or adds a client to the open receiver.
   * @param caller the caller, whose workspace gets the traces.
   * @throws HttpError 409 when another program uses the port, or the receiver is open on another port, or for another
   * project or workspace.
   */
  async open(
    caller: Caller,
    request: {
      readonly port: number;
      readonly project?: string | undefined;
      readonly holder?: string | undefined;
    },
  ): Promise<{ url: string }> {
    const { workspaceId } = caller;
    const { port, project } = request;
    this.#open ??= { origin: this.#listen(caller, request), workspaceId, project };
    const opening = this.#open;
    const origin = await opening.origin.catch((error: unknown) => {
      if (this.#open === opening) this.#open = undefined;
      throw error;
    });
    const taken = (how: string) =>
      conflict(`The server already receives OpenTelemetry ${how}. Stop that receiver first.`);
    if (port !== 0 && port !== origin.port) throw taken(`at port ${origin.port}`);
    if (workspaceId !== opening.workspaceId) throw taken('for another workspace');
    if (project !== undefined && project !== opening.project)
      throw taken(`for the project '${opening.project ?? 'default'}'`);
    this.#holders.add(request.holder ?? ANONYMOUS);
    return { url: origin.url };
  }

  /** Closes the receiver for one client, if that has opened it, and stops listening after the last one. */
  release(holder = ANONYMOUS): void {
    if (this.#holders.delete(holder) && this.#holders.size === 0) void this.end();
  }

  /** Stops listening for all clients. */
  async end(): Promise<void> {
    const opening = this.#open;
    this.#open = undefined;
    this.#holders.clear();
    // A receiver that could not listen need not be closed. The client that opened it got the error.
    await (await opening?.origin.catch(() => undefined))?.close();
  }

  async #listen(
    caller: Caller,
    { port, project }: { port: number; project?: string | undefined },
  ): Promise<Origin> {
    const router = new Router();
    await this.#tracing.mountReceiver(router, project);
    const listener = dispatcher({
      router,
      logger: this.#logger,
      // Nothing else is served here.
      route: (url) => PATHS.get(url.split('?', 1)[0] ?? ''),
      cors: () => loopbackOnly,
      // The handler reads bodies itself.
      bodyLimit: 0,
      authenticate: () => Promise.resolve(caller),
    });
    const receive = (...exchange: Parameters<typeof listener>) => void listener(...exchange);
    return Origin.listen(port, receive).catch((error: unknown) => {
      if (!(error instanceof PortTakenError)) throw error;
      throw conflict(
        `${error.message} If that is an OpenTelemetry Collector, stop it or have it send to this server.`,
      );
    });
  }
}
