import { eventually } from './wait.ts';

type Message = { id?: number; method?: string; params?: Json; result?: Json; error?: { message: string } };
type Json = Record<string, unknown>;

/** A minimal debugger for Node: Chrome's DevTools protocol over a WebSocket. */
export class Inspector implements Disposable {
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, PromiseWithResolvers<Json>>();
  readonly events: { method: string; params: Json }[] = [];
  #nextId = 1;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id, method, params = {}, result = {}, error }: Message = JSON.parse(String(data));
      if (method !== undefined) this.events.push({ method, params });
      else if (error !== undefined) this.#answers.get(id ?? 0)?.reject(new Error(error.message));
      else this.#answers.get(id ?? 0)?.resolve(result);
    });
    socket.addEventListener('close', () => {
      for (const { reject } of this.#answers.values()) reject(new Error('The process has gone.'));
    });
  }

  static async connect(address: string): Promise<Inspector> {
    const socket = new WebSocket(address);
    const inspector = new Inspector(socket);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', () => reject(new Error(`${address} refuses`)));
    });
    await inspector.post('Runtime.enable');
    await inspector.post('Debugger.enable');
    return inspector;
  }

  post(method: string, params: Json = {}): Promise<Json> {
    const answer = Promise.withResolvers<Json>();
    const id = this.#nextId++;
    this.#answers.set(id, answer);
    this.#socket.send(JSON.stringify({ id, method, params }));
    return answer.promise;
  }

  /**
   * Waits until the process is paused, and says where: the line from 1, the function, and an expression evaluated
   * there.
   */
  async paused(expression: string): Promise<{ line: number; name: string; value: unknown }> {
    const event = await eventually('the debugger holds the process', () =>
      this.events.find(({ method }) => method === 'Debugger.paused'),
    );
    const [frame] = event.params.callFrames as {
      callFrameId: string;
      functionName: string;
      location: { lineNumber: number };
    }[];
    if (frame === undefined) throw new Error('It is held nowhere.');
    const { result } = await this.post('Debugger.evaluateOnCallFrame', {
      callFrameId: frame.callFrameId,
      expression,
      returnByValue: true,
    });
    const { value } = result as { value: unknown };
    return { line: frame.location.lineNumber + 1, name: frame.functionName, value };
  }

  async resume(): Promise<void> {
    const at = this.events.findIndex(({ method }) => method === 'Debugger.paused');
    if (at !== -1) this.events.splice(at, 1);
    await this.post('Debugger.resume');
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }
}
