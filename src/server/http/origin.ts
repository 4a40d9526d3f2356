import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { settled } from '../../process/settled.ts';
import { portOf } from './port-of.ts';
import { DEFAULT_STALL_TIMEOUTS, SlowClients, type StallTimeouts } from './slow-clients.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** The requested port is in use by another program, or the system reserves it (`EACCES`). */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError';
  readonly port: number;
  constructor(port: number, code: 'EADDRINUSE' | 'EACCES' = 'EADDRINUSE') {
    super(
      code === 'EACCES'
        ? `The system does not let Agent Harbor use port ${port}.`
        : `Port ${port} is in use by another program.`,
    );
    this.port = port;
  }
}

export interface OriginOptions {
  readonly stallTimeouts?: StallTimeouts;
  /** A further address to listen on; 0.0.0.0 and :: mean all IPv4 or all IPv6 addresses. */
  readonly networkAddress?: string | undefined;
}

/**
 * A port of this server, on 127.0.0.1 and, if there is IPv6, on ::1, and on the network address if one is
 * given.
 */
export class Origin {
  readonly #servers: Server[];
  /** Upgraded sockets, which the HTTP server does not close automatically. */
  readonly #upgraded: Set<Duplex>;
  /** Responses that have not ended. */
  readonly #answers: ReadonlySet<ServerResponse>;
  readonly #slow: SlowClients;
  /** Answers a request that arrived at another origin. */
  readonly receive: Listener;
  /** Answers an upgrade request that arrived at another origin. */
  readonly receiveUpgrade: UpgradeListener;
  readonly port: number;

  private constructor(
    servers: Server[],
    port: number,
    open: { upgraded: Set<Duplex>; answers: ReadonlySet<ServerResponse>; slow: SlowClients },
    listeners: { receive: Listener; receiveUpgrade: UpgradeListener },
  ) {
    this.#servers = servers;
    this.#slow = open.slow;
    this.#upgraded = open.upgraded;
    this.#answers = open.answers;
    this.receive = listeners.receive;
    this.receiveUpgrade = listeners.receiveUpgrade;
    this.port = port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /**
   * Listens on a port.
   * @param port 0 for any free port.
   * @throws PortTakenError, or the system's error for a network address that this machine does not have.
   */
  static async listen(
    port: number,
    listener: Listener,
    onUpgrade?: UpgradeListener,
    options: OriginOptions = {},
  ): Promise<Origin> {
    const { stallTimeouts = DEFAULT_STALL_TIMEOUTS, networkAddress } = options;
    const upgraded = new Set<Duplex>();
    const upgrade: UpgradeListener | undefined =
      onUpgrade &&
      ((request, socket, head) => {
        upgraded.add(socket);
        socket.once('close', () => upgraded.delete(socket));
        onUpgrade(request, socket, head);
      });
    const slow = new SlowClients(stallTimeouts);
    const answers = new Set<ServerResponse>();
    const watching: Listener = (request, response) => {
      slow.watch(request);
      answers.add(response);
      response.once('close', () => answers.delete(response));
      listener(request, response);
    };
    const start = (host: string, at: number) =>
      startServer({ host, port: at }, stallTimeouts, watching, upgrade);
    const [ipv4, ipv6, other] = placesOf(networkAddress);
    const servers: Server[] = [];
    try {
      const first = await start(ipv4, port);
      servers.push(first);
      const bound = portOf(first);
      // The caller of `::` relies on IPv6. Everyone else can do without it.
      if (ipv6 === '::') servers.push(await start(ipv6, bound));
      else servers.push(...(await start(ipv6, bound).then((server) => [server], noIpv6)));
      if (other !== undefined) servers.push(await start(other, bound));
      const receiveUpgrade: UpgradeListener = upgrade ?? ((_request, socket) => socket.destroy());
      return new Origin(servers, bound, { upgraded, answers, slow }, { receive: watching, receiveUpgrade });
    } catch (error) {
      for (const server of servers) server.close();
      slow.close();
      // A port that is free in one address family may be taken in the other, so the next free one is tried.
      if (port === 0 && servers.length > 0 && error instanceof PortTakenError)
        return Origin.listen(0, listener, onUpgrade, options);
      throw error;
    }
  }

  /**
   * Waits for pending responses, but not for event streams, because clients can join those elsewhere.
   * @param signal ends the wait.
   */
  async waitForAnswers(signal: AbortSignal): Promise<void> {
    const pending = [...this.#answers].filter(
      (response) => !String(response.getHeader('content-type')).startsWith('text/event-stream'),
    );
    if (signal.aborted) return;
    const ended = pending.map((response) => settled(once(response, 'close')));
    await Promise.race([Promise.all(ended), once(signal, 'abort')]);
  }

  /** Stops listening, and ends open connections, including sockets. */
  async close(): Promise<void> {
    this.#slow.close();
    await Promise.all(
      this.#servers.map((server) => {
        const closed = new Promise<void>((resolve) => server.close(() => resolve()));
        server.closeAllConnections();
        for (const socket of this.#upgraded) socket.destroy();
        // Responses to requests that arrived at another origin use connections of that origin.
        for (const response of this.#answers) response.destroy();
        return closed;
      }),
    );
  }
}

/** The addresses to listen on for IPv4 and for IPv6, and one further address. */
function placesOf(networkAddress: string | undefined): [string, string, string?] {
  if (networkAddress === '0.0.0.0') return ['0.0.0.0', '::1'];
  if (networkAddress === '::') return ['127.0.0.1', '::'];
  return networkAddress === undefined ? ['127.0.0.1', '::1'] : ['127.0.0.1', '::1', networkAddress];
}

/**
 * Handles a failure to listen on IPv6. Any error except a used port means that the machine has no IPv6.
 * @throws PortTakenError
 */
function noIpv6(error: unknown): [] {
  if (error instanceof PortTakenError) throw error;
  return [];
}

/** Makes an HTTP server that listens on one address. @throws PortTakenError, or the system's error */
function startServer(
  { host, port }: { readonly host: string; readonly port: number },
  stallTimeouts: StallTimeouts,
  listener: Listener,
  onUpgrade?: UpgradeListener,
): Promise<Server> {
  return new Promise((resolve, reject) => {
    // There is no total time limit, because large bodies and long streams are normal; only stalled
    // connections time out.
    const server = createServer(
      {
        requestTimeout: 0,
        headersTimeout: stallTimeouts.headersMs,
        connectionsCheckingInterval: stallTimeouts.checkEveryMs,
        keepAliveTimeout: 65_000,
        noDelay: true,
      },
      listener,
    );
    if (onUpgrade !== undefined) server.on('upgrade', onUpgrade);
    server.once('error', (error: NodeJS.ErrnoException) => {
      const { code } = error;
      reject(code === 'EADDRINUSE' || code === 'EACCES' ? new PortTakenError(port, code) : error);
    });
    server.listen({ host, port, exclusive: true, ipv6Only: host.includes(':'), backlog: 1024 }, () =>
      resolve(server),
    );
  });
}
