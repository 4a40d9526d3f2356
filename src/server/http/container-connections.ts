import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** How long a closed connection is remembered, because a request that it sent may be read later. */
const KEPT_MS = 60_000;

/** The connections to this server that relays open for containers. */
export class ContainerConnections {
  /** The connections, by their ports on the relay's side. */
  readonly #ports = new Map<number, Socket>();

  /** Records a relay's connection. Call this before any data is sent on the connection. */
  note(socket: Socket): void {
    socket.once('connect', () => {
      const { localPort } = socket;
      if (localPort === undefined) return;
      this.#ports.set(localPort, socket);
      socket.once('close', () => {
        setTimeout(() => {
          // Another connection may be using the port by now.
          if (this.#ports.get(localPort) === socket) this.#ports.delete(localPort);
        }, KEPT_MS).unref();
      });
    });
  }

  /** Whether a request comes from a container. */
  has({ socket }: IncomingMessage): boolean {
    return socket.remotePort !== undefined && this.#ports.has(socket.remotePort);
  }
}
