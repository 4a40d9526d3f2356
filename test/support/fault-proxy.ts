import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { portOf } from '../../src/server/http/port-of.ts';
import { type Answered, PublicService } from './public-service.ts';

/** The way a proxy treats a request. */
export type Fault =
  | { readonly kind: 'none' }
  /** Passes it on late. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Answers in place of the server. */
  | { readonly kind: 'failing'; readonly status: number };

/** An installation's gateway: a real HTTP proxy to a server, which can inject network faults. */
export interface FaultProxy extends AsyncDisposable {
  readonly url: string;
  /** The requested paths. */
  readonly seen: string[];
  /** Selects the requests that matter to a test; every other one is passed on. */
  inject(fault: Fault, isMeant?: (path: string) => boolean): void;
  /** Nothing listens at its address anymore, and clients are disconnected. */
  disconnect(): Promise<void>;
  /** Listens at the same address again. */
  reconnect(): Promise<void>;
}

export interface FaultProxyOptions {
  /**
   * The server behind it. By default, it is laid out like a self-hosted installation: the platform is below
   * `/api/v1`, the control plane below `/api-host`, agent servers below `/agents`, and nothing is anywhere
   * else.
   */
  readonly serves?: 'public-service' | 'agent-server';
  /** Changes JSON that passes through, such as addresses of servers behind other proxies. */
  readonly rewrite?: (text: string) => string;
}

const INSTALLED = /^\/api-host\/|^\/api\/|^\/agents\/\d+\//;
const AGENT = /^\/agents\/(\d+)(?=\/)/;

export async function faultProxy(
  target: string,
  { serves = 'public-service', rewrite }: FaultProxyOptions = {},
): Promise<FaultProxy> {
  const seen: string[] = [];
  const service = new PublicService();
  let port = 0;
  let fault: Fault = { kind: 'none' };
  let isMeant = (_path: string): boolean => true;
  const mountAgents = (text: string) =>
    text.replaceAll(/("custom_url" ?: ?)"http:\/\/127\.0\.0\.1:(\d+)"/g, `$1"${url()}/agents/$2"`);
  const rewriteAny = rewrite ?? (serves === 'public-service' ? mountAgents : (text: string) => text);

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = incoming.url ?? '/';
    seen.push(path);
    if (serves === 'public-service' && !INSTALLED.test(path)) {
      answerJson(response, { status: 404, body: { detail: 'Not Found' } });
      return;
    }
    if (isMeant(path) && fault.kind === 'failing') {
      answerJson(response, { status: fault.status, body: { detail: 'Injected.' } });
      return;
    }
    if (isMeant(path) && fault.kind === 'slow') await delay(fault.ms);
    const { host: _, 'accept-encoding': __, ...headers } = incoming.headers;
    const [, agent] = AGENT.exec(path) ?? [];
    const isAgent = serves === 'agent-server' || agent !== undefined;
    const isJson = incoming.headers['content-type']?.startsWith('application/json') === true;
    const sent = isJson ? await text(incoming) : undefined;
    const asked = {
      method: incoming.method ?? 'GET',
      url: path.replace(AGENT, ''),
      body: sent ? JSON.parse(sent) : undefined,
    };
    const refused = service.refuse(asked);
    if (refused !== undefined) {
      answerJson(response, refused);
      return;
    }
    const body = sent ? JSON.stringify(service.accept(asked)) : undefined;
    if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
    const base = agent === undefined ? target : `http://127.0.0.1:${agent}`;
    const outgoing = request(new URL(asked.url, base), { method: asked.method, headers }, (answered) => {
      const status = answered.statusCode ?? 502;
      const says = answered.headers['content-type']?.startsWith('application/json') === true;
      if (!says || (isAgent && !path.endsWith('/info'))) {
        response.writeHead(status, answered.headers);
        answered.pipe(response);
        return;
      }
      const { 'content-length': ___, ...kept } = answered.headers;
      const rewritten = text(answered).then((said) => {
        response.writeHead(status, kept).end(rewriteAny(service.answer(asked, status, said)));
      });
      rewritten.catch(() => response.destroy());
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    if (sent === undefined) incoming.pipe(outgoing);
    else outgoing.end(body);
  };

  const url = () => `http://127.0.0.1:${port}`;
  const server = createServer((incoming, response) => void answer(incoming, response));
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
  const disconnect = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  await listen(0);
  port = portOf(server);
  return {
    url: url(),
    seen,
    inject: (wanted, meant = () => true) => {
      fault = wanted;
      isMeant = meant;
    },
    disconnect,
    reconnect: () => listen(port),
    [Symbol.asyncDispose]: disconnect,
  };
}

function answerJson(response: ServerResponse, { status, headers, body }: Answered): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
