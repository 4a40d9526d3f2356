import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The maximum bytes of the first line: a port number and a line feed. */
const MAX_LINE_BYTES = 6;
/** How long a client may take to send the first line. */
const FIRST_LINE_MS = 5_000;

/**
 * Connects a container without a network to some ports of this machine, through a socket in a mounted folder. A client
 * first sends the number of the port and a line feed; then, data is forwarded in both directions.
 */
export class Relay implements AsyncDisposable {
  readonly #server: Server;
  readonly #parent: string;
  readonly #sockets = new Set<Socket>();
  /** The folder to mount in the container. */
  readonly folder: string;
  /** The path of the socket, which is in the folder. */
  readonly socket: string;

  private constructor(server: Server, parent: string, folder: string) {
    this.#server = server;
    this.#parent = parent;
    this.folder = folder;
    this.socket = path.join(folder, 's');
  }

  /**
   * Starts listening.
   * @param allowedPorts returns the allowed ports of 127.0.0.1; called for each connection.
   * @param note called with each connection to a port, before any data is sent on it.
   */
  static async open(allowedPorts: () => readonly number[], note: (made: Socket) => void): Promise<Relay> {
    // The path of a socket must be short, so it is not in the data folder. Only this user has access to the
    // contents of the temporary folder.
    const parent = await mkdtemp(path.join(tmpdir(), 'ah-'));
    const folder = path.join(parent, 'r');
    await mkdir(folder, { mode: 0o755 });
    const server = createServer((incoming) => relay.#accept(incoming, allowedPorts, note));
    const relay = new Relay(server, parent, folder);
    await once(server.listen(relay.socket), 'listening');
    server.unref();
    // The container runs as another user, who needs access.
    await chmod(folder, 0o755);
    await chmod(relay.socket, 0o666);
    return relay;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await rm(this.#parent, { recursive: true, force: true });
  }

  #accept(incoming: Socket, allowedPorts: () => readonly number[], note: (made: Socket) => void): void {
    this.#keep(incoming);
    incoming.setTimeout(FIRST_LINE_MS, () => incoming.destroy());
    let line = Buffer.alloc(0);
    const read = (chunk: Buffer) => {
      line = Buffer.concat([line, chunk]);
      const end = line.indexOf(10);
      if (end === -1 && line.length <= MAX_LINE_BYTES) return;
      incoming.off('data', read).pause().setTimeout(0);
      const port = Number(line.subarray(0, Math.max(0, end)).toString());
      if (end === -1 || !allowedPorts().includes(port)) return void incoming.destroy();
      const outgoing = connect({ port, host: '127.0.0.1' });
      note(outgoing);
      this.#keep(outgoing);
      outgoing.write(line.subarray(end + 1));
      incoming.pipe(outgoing).pipe(incoming);
      incoming.once('close', () => outgoing.destroy());
      outgoing.once('close', () => incoming.destroy());
    };
    incoming.on('data', read);
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#sockets.delete(socket));
  }
}
