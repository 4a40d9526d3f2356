import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { portOf } from '../../src/server/http/port-of.ts';

/** The network between a server and what it connects to, with network faults. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** The ports that its connections come from. */
  readonly sources: readonly number[];
  /** Connections from now on go to another port of this machine. */
  lead(port: number): void;
  /** Holds all data, without ending connections. */
  cut(): void;
  /** Does the same to existing connections only; those made from now on get through. */
  cutThose(): void;
  /** Lets held data through. */
  mend(): void;
  /** Ends all connections. */
  reset(): void;
}

export interface TcpProxyOptions {
  /** Selects the data that gets through to the client; everything by default. Called for each connection. */
  filter?(): (data: Buffer) => Buffer;
  /** Whether data from a client ends its connection instead of getting through; by default none does. */
  breaks?(data: Buffer): boolean;
  /** How long data takes to the client; by default it gets through at once. */
  readonly delayMs?: number;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

export async function tcpProxy(
  target: number,
  { filter, breaks, delayMs = 0 }: TcpProxyOptions = {},
): Promise<TcpProxy> {
  let port = target;
  let isCut = false;
  const pairs = new Set<Pair>();
  const listener = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    const pair = { client, server };
    pairs.add(pair);
    const pass = filter?.() ?? ((data: Buffer) => data);
    client.on('data', (data) => (breaks?.(data) ? client.destroy() : server.write(data)));
    server.on('data', (data) => {
      if (delayMs === 0) client.write(pass(data));
      else setTimeout(() => client.write(pass(data)), delayMs);
    });
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
    if (isCut) hold(pair);
  });
  const hold = ({ client, server }: Pair) => {
    client.pause();
    server.pause();
  };
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const reset = () => {
    for (const { client } of [...pairs]) client.destroy();
  };
  return {
    port: portOf(listener),
    get sources() {
      return [...pairs].flatMap(({ server }) => server.localPort ?? []);
    },
    lead: (other) => {
      port = other;
    },
    cut: () => {
      isCut = true;
      for (const pair of pairs) hold(pair);
    },
    cutThose: () => {
      for (const pair of pairs) hold(pair);
    },
    mend: () => {
      isCut = false;
      for (const { client, server } of pairs) {
        client.resume();
        server.resume();
      }
    },
    reset,
    [Symbol.asyncDispose]: async () => {
      const closed = once(listener, 'close');
      listener.close();
      reset();
      await closed;
    },
  };
}
