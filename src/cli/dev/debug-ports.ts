import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Failure } from '../terminal/failure.ts';
import { readPauses } from './debugger-pauses.ts';

const LOOPBACK = '127.0.0.1';
/** Host names of this machine. Others are refused, so that a web page cannot reach a debugger by DNS rebinding. */
const OWN_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i;

type Language = 'python' | 'node';

/** The debugger of a process. */
interface Target {
  readonly language: Language;
  /** `tcp://…` of debugpy, `ws://…` of Node's inspector. */
  readonly url: URL;
  /** Called when the debugger pauses the process, and when the process continues. */
  onPause(isPaused: boolean): void;
}

/** A port on this machine that forwards connections to the debugger of the current process. */
interface DebugPort {
  target: Target | undefined;
  readonly server: Server;
}

interface DebugPortOptions {
  /** The port for the Debug Adapter Protocol of Python's debugpy. */
  readonly python?: number | undefined;
  /** The port for the inspector of Node. */
  readonly node?: number | undefined;
}

/** The ports that debuggers attach to. They stay the same when the graphs are reloaded in new processes. */
export class DebugPorts {
  readonly #ports: Readonly<Partial<Record<Language, DebugPort>>>;

  private constructor(ports: Partial<Record<Language, DebugPort>>) {
    this.#ports = ports;
  }

  /** @throws Failure for a port that is in use */
  static async open({ python, node }: DebugPortOptions): Promise<DebugPorts> {
    const ports: Partial<Record<Language, DebugPort>> = {};
    const opened = new DebugPorts(ports);
    try {
      if (python !== undefined) ports.python = await listen('--debug-port', makeAdapterPort(), python);
      if (node !== undefined) ports.node = await listen('--inspect', makeInspectorPort(), node);
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  }

  /**
   * Announces a process that a debugger can attach to, in place of an earlier one.
   * @param onPause called when a debugger pauses the process, and when the process continues
   * @returns the address to attach to, if its language has a port here
   */
  pointTo(language: Language, address: string, onPause: (isPaused: boolean) => void): string | undefined {
    const port = this.#ports[language];
    if (port === undefined) return undefined;
    port.target = { language, url: new URL(address), onPause };
    const bound = port.server.address();
    return `${LOOPBACK}:${typeof bound === 'object' ? bound?.port : ''}`;
  }

  close(): void {
    for (const { server } of Object.values(this.#ports)) server.close();
  }
}

async function listen(option: string, port: DebugPort, number: number): Promise<DebugPort> {
  await new Promise<void>((resolve, reject) => {
    port.server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new Failure(
          error.code === 'EADDRINUSE'
            ? `Port ${number} of ${option} is in use. Choose another, or 0 for any free port.`
            : `${option}: ${error.message}`,
        ),
      ),
    );
    port.server.listen(number, LOOPBACK, resolve);
  });
  // The port must not keep the process of a finished command running.
  port.server.unref();
  return port;
}

function makeAdapterPort(): DebugPort {
  const port: DebugPort = {
    target: undefined,
    server: createServer((socket) => forward(socket, port.target)),
  };
  return port;
}

/** Makes a port that serves what DevTools expect of a Node inspector: a list with one target, and its WebSocket. */
function makeInspectorPort(): DebugPort {
  const server = createHttpServer((request, response) =>
    answerInspector(request, response, port.target?.url),
  );
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { target } = port;
    if (!isOwnHost(request) || target === undefined || request.url !== target.url.pathname) {
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      return;
    }
    const headers = Object.entries({ ...request.headers, host: target.url.host }).map(
      ([name, value]) => `${name}: ${String(value)}\r\n`,
    );
    forward(
      socket,
      target,
      Buffer.from(`GET ${target.url.pathname} HTTP/1.1\r\n${headers.join('')}\r\n`),
      head,
    );
  });
  const port: DebugPort = { target: undefined, server };
  return port;
}

function answerInspector(request: IncomingMessage, response: ServerResponse, url: URL | undefined): void {
  const path = (request.url ?? '').replace(/\/$/, '');
  const isList = path === '/json' || path === '/json/list';
  if (!isOwnHost(request) || (!isList && path !== '/json/version')) {
    response.writeHead(isOwnHost(request) ? 404 : 400).end();
    return;
  }
  const id = url?.pathname.slice(1);
  const socket = `${request.headers.host}/${id}`;
  const targets = [
    {
      description: 'node.js instance',
      devtoolsFrontendUrl: `devtools://devtools/bundled/js_app.html?experiments=true&v8only=true&ws=${socket}`,
      id,
      title: 'LangGraph graphs',
      type: 'node',
      url: 'file://',
      webSocketDebuggerUrl: `ws://${socket}`,
    },
  ];
  const version = { Browser: 'node.js', 'Protocol-Version': '1.1' };
  const body = isList ? (url === undefined ? [] : targets) : version;
  response.writeHead(200, { 'content-type': 'application/json; charset=UTF-8' }).end(JSON.stringify(body));
}

function isOwnHost({ headers }: IncomingMessage): boolean {
  return OWN_HOST.test(headers.host ?? '');
}

/**
 * Connects a debugger with its target, after sending `first` to the target; closes the debugger's connection if there
 * is no target.
 */
function forward(from: Duplex, target: Target | undefined, ...first: readonly Buffer[]): void {
  if (target === undefined) {
    from.destroy();
    return;
  }
  const { language, url, onPause } = target;
  const to: Socket = connect(Number(url.port), url.hostname);
  for (const data of first) to.write(data);
  to.on('data', readPauses(language, onPause));
  // When a debugger disconnects, the process continues.
  to.once('close', () => onPause(false));
  for (const [one, other] of [
    [from, to],
    [to, from],
  ] as const) {
    one.pipe(other);
    one.on('error', () => other.destroy());
    one.once('close', () => other.destroy());
  }
}
