import { connect, createServer, Socket } from 'node:net';
import process from 'node:process';
import { Duplex } from 'node:stream';
import type { ServerPipe } from './server-pipe.ts';

/** The SDKs' variables that contain the server's address. */
const ADDRESS_VARIABLES = ['LANGSMITH_ENDPOINT', 'LANGSMITH_API_URL'];

/**
 * Opens the connection to the server from inside a container.
 * @param input number of the file descriptor of the original standard input; a shell has redirected it
 * @param output the same for the standard output
 */
export function openContainerPipe(input: number, output: number): ServerPipe {
  const stream = Duplex.from({
    readable: new Socket({ fd: input, readable: true, writable: false }),
    writable: new Socket({ fd: output, readable: false, writable: true }),
  });
  const { AGENT_HARBOR_RELAY: relay } = process.env;
  return relay === undefined ? { stream } : { stream, relayTo: openRelay(relay) };
}

/**
 * In a container without a network, forwards requests for the server's addresses to the server, beginning
 * with the addresses in the variables of the SDKs. The server decides which ports may be reached.
 * @param socket path of the socket that leads out of the container.
 * @returns a function that forwards requests for another address
 */
function openRelay(socket: string): (url: string) => void {
  const ports = new Set<string>();
  const relayTo = (url: string) => {
    const { hostname, port } = new URL(url);
    if (hostname !== '127.0.0.1' || ports.has(port)) return;
    ports.add(port);
    listen(socket, port);
  };
  for (const name of ADDRESS_VARIABLES) {
    const url = process.env[name];
    if (url !== undefined && URL.canParse(url)) relayTo(url);
  }
  return relayTo;
}

function listen(socket: string, port: string): void {
  const server = createServer((incoming) => {
    const outgoing = connect(socket);
    outgoing.write(`${port}\n`);
    incoming.pipe(outgoing).pipe(incoming);
    incoming.on('error', () => outgoing.destroy()).once('close', () => outgoing.destroy());
    outgoing.on('error', () => incoming.destroy()).once('close', () => incoming.destroy());
  });
  server.on('error', (error) => console.error(`Port ${port} cannot be reached: ${error.message}`));
  server.listen(Number(port), '127.0.0.1').unref();
}
