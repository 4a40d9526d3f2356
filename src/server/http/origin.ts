import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { DEFAULT_PATIENCE, type Patience, SlowClients } from './slow-clients.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** The wanted port belongs to another program. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError';
  readonly port: number;
  constructor(port: number) {
    super(`Port ${port} is in use by another program.`);
    this.port = port;
  }
}

/** One address on this machine, listening on 127.0.0.1 and, where there is IPv6, on ::1, at the same port. */
export class Origin {
  readonly #servers: Server[];
  /** Upgraded sockets, which the HTTP server does not close by itself. */
  readonly #upgraded: Set<Duplex>;
  readonly #slow: SlowClients;
  readonly port: number;

  private constructor(servers: Server[], upgraded: Set<Duplex>, slow: SlowClients, port: number) {
    this.#servers = servers;
    this.#slow = slow;
    this.#upgraded = upgraded;
    this.port = port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /**
   * @param port 0 for any free one.
   * @throws PortTakenError
   */
  static async listen(
    port: number,
    listener: Listener,
    onUpgrade?: UpgradeListener,
    patience = DEFAULT_PATIENCE,
  ): Promise<Origin> {
    const upgraded = new Set<Duplex>();
    const upgrade: UpgradeListener | undefined =
      onUpgrade &&
      ((request, socket, head) => {
        upgraded.add(socket);
        socket.once('close', () => upgraded.delete(socket));
        onUpgrade(request, socket, head);
      });
    const slow = new SlowClients(patience);
    const watching: Listener = (request, response) => {
      slow.watch(request);
      listener(request, response);
    };
    const first = await listen('127.0.0.1', port, patience, watching, upgrade).catch((error: unknown) => {
      slow.close();
      throw error;
    });
    const { port: bound } = first.address() as AddressInfo;
    try {
      return new Origin(
        [first, await listen('::1', bound, patience, watching, upgrade)],
        upgraded,
        slow,
        bound,
      );
    } catch (error) {
      if (!(error instanceof PortTakenError)) return new Origin([first], upgraded, slow, bound);
      first.close();
      slow.close();
      // A free port on one family may be taken on the other: try the next free one.
      if (port === 0) return Origin.listen(0, listener, onUpgrade, patience);
      throw error;
    }
  }

  /** Stops listening and ends open connections, sockets too. */
  async close(): Promise<void> {
    this.#slow.close();
    await Promise.all(
      this.#servers.map((server) => {
        const closed = new Promise<void>((resolve) => server.close(() => resolve()));
        server.closeAllConnections();
        for (const socket of this.#upgraded) socket.destroy();
        return closed;
      }),
    );
  }
}

function listen(
  host: string,
  port: number,
  patience: Patience,
  listener: Listener,
  onUpgrade?: UpgradeListener,
): Promise<Server> {
  return new Promise((resolve, reject) => {
    // No total time limit, because large bodies and long streams are normal; only stalled connections time out.
    const server = createServer(
      {
        requestTimeout: 0,
        headersTimeout: patience.headersMs,
        connectionsCheckingInterval: patience.everyMs,
        keepAliveTimeout: 65_000,
        noDelay: true,
      },
      listener,
    );
    if (onUpgrade !== undefined) server.on('upgrade', onUpgrade);
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' || error.code === 'EACCES' ? new PortTakenError(port) : error);
    });
    server.listen({ host, port, exclusive: true, ipv6Only: host === '::1', backlog: 1024 }, () =>
      resolve(server),
    );
  });
}
