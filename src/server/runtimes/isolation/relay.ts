import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The maximum bytes of the first line: a port number and a line feed. */
const MAX_LINE_BYTES = 6;
const ASK_MS = 5_000;

/**
 * The way out of a container without a network: a socket in a mounted folder, which forwards to the allowed ports
 * of this machine. A connection begins with the port number and a line feed.
 */
export class Relay implements AsyncDisposable {
  readonly #server: Server;
  readonly #parent: string;
  readonly #sockets = new Set<Socket>();
  /** The folder to mount in the container. */
  readonly folder: string;
  readonly socket: string;

  private constructor(server: Server, parent: string, folder: string) {
    this.#server = server;
    this.#parent = parent;
    this.folder = folder;
    this.socket = path.join(folder, 's');
  }

  /**
   * @param allowedPorts returns the allowed ports of 127.0.0.1; called for each connection.
   * @param note called for each connection before any data is sent on it.
   */
  static async open(allowedPorts: () => readonly number[], note: (made: Socket) => void): Promise<Relay> {
    // The path of a socket must be short, so it is not in the data folder. Only this user has access to the folder's
    // contents.
    const parent = await mkdtemp(path.join(tmpdir(), 'ah-'));
    const folder = path.join(parent, 'r');
    await mkdir(folder, { mode: 0o755 });
    const server = createServer((incoming) => relay.#accept(incoming, allowedPorts, note));
    const relay = new Relay(server, parent, folder);
    await once(server.listen(relay.socket), 'listening');
    server.unref();
    // This gives access to the container's user, who has no name on this machine.
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
    incoming.setTimeout(ASK_MS, () => incoming.destroy());
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
