import { connect, type Socket } from 'node:net';
import { eventually } from './wait.ts';

type Body = Record<string, unknown>;
type Message = {
  type: 'response' | 'event' | 'request';
  event?: string;
  request_seq?: number;
  success?: boolean;
  message?: string;
  body?: Body;
};

/** A process that has just been started is still loading its graphs. */
const PATIENCE_MS = 60_000;

/** A debugging editor: the Debug Adapter Protocol over a socket. */
export class DapClient implements Disposable {
  readonly #socket: Socket;
  readonly #answers = new Map<number, PromiseWithResolvers<Body>>();
  readonly events: { event: string; body: Body }[] = [];
  #unread = Buffer.alloc(0);
  #seq = 1;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', () => {});
  }

  /** @param address `tcp://host:port`. */
  static async connect(address: string): Promise<DapClient> {
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname);
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return new DapClient(socket);
  }

  request(command: string, given: Body = {}): Promise<Body> {
    const seq = this.#seq++;
    const answer = Promise.withResolvers<Body>();
    this.#answers.set(seq, answer);
    const text = JSON.stringify({ seq, type: 'request', command, arguments: given });
    this.#socket.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    return answer.promise;
  }

  /** Attaches with breakpoints in a file. */
  async attach(file: string, lines: readonly number[]): Promise<void> {
    await this.request('initialize', { adapterID: 'test', linesStartAt1: true, pathFormat: 'path' });
    const attached = this.request('attach', { justMyCode: true, subProcess: false });
    await eventually(
      'initialized',
      () => this.events.some(({ event }) => event === 'initialized'),
      Boolean,
      PATIENCE_MS,
    );
    await this.request('setBreakpoints', {
      source: { path: file },
      breakpoints: lines.map((line) => ({ line })),
    });
    await this.request('configurationDone');
    await attached;
  }

  /** Waits until the process is paused, and says where: its thread, its line, and an expression evaluated there. */
  async paused(expression: string): Promise<{ threadId: number; line: number; name: string; value: string }> {
    const { body } = await eventually(
      'the debugger holds the process',
      () => this.events.find(({ event }) => event === 'stopped'),
      Boolean,
      PATIENCE_MS,
    );
    this.events.length = 0;
    const threadId = Number(body.threadId);
    const { stackFrames } = await this.request('stackTrace', { threadId, startFrame: 0, levels: 1 });
    const [frame] = stackFrames as { id: number; line: number; name: string }[];
    if (frame === undefined) throw new Error('It is held nowhere.');
    const { result } = await this.request('evaluate', { expression, frameId: frame.id, context: 'watch' });
    return { threadId, line: frame.line, name: frame.name, value: String(result) };
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, chunk]);
    for (;;) {
      const end = this.#unread.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/i.exec(this.#unread.toString('latin1', 0, end))?.[1]);
      if (end === -1 || this.#unread.length < end + 4 + length) return;
      const message: Message = JSON.parse(this.#unread.toString('utf8', end + 4, end + 4 + length));
      this.#unread = this.#unread.subarray(end + 4 + length);
      const { event, request_seq = 0, success, body = {} } = message;
      if (event !== undefined) this.events.push({ event, body });
      else if (success === false) this.#answers.get(request_seq)?.reject(new Error(message.message));
      else this.#answers.get(request_seq)?.resolve(body);
    }
  }
}
