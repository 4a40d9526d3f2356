import { once } from 'node:events';
import { WebSocket } from 'ws';
import { z } from 'zod';
import type { ServerProcess } from '../support/control-plane/server-process.ts';
import { eventually } from '../support/wait.ts';

const Answer = z.looseObject({
  id: z.number(),
  result: z.looseObject({ result: z.looseObject({ value: z.unknown() }).optional() }),
});
const Usage = z.looseObject({ heapUsed: z.number(), rss: z.number() });

/** The memory of a server that was started with `--inspect`, seen from outside. */
export class ServerHeap implements Disposable {
  readonly #socket: WebSocket;
  #id = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async open(server: ServerProcess): Promise<ServerHeap> {
    const [address = ''] = await eventually(
      'the inspector listens',
      async () => /ws:\/\/127\.0\.0\.1:\S+/.exec(await server.log()) ?? [],
      ({ length }) => length > 0,
    );
    const socket = new WebSocket(address);
    await once(socket, 'open');
    return new ServerHeap(socket);
  }

  /** @returns bytes of the main thread's heap after a collection, and of the whole process */
  async memory(): Promise<{ inUse: number; resident: number }> {
    for (let times = 0; times < 2; times++) await this.#ask('HeapProfiler.collectGarbage');
    const expression = 'process.memoryUsage()';
    const { result } = await this.#ask('Runtime.evaluate', { expression, returnByValue: true });
    const { heapUsed, rss } = Usage.parse(result?.value);
    return { inUse: heapUsed, resident: rss };
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }

  async #ask(method: string, params: object = {}): Promise<z.output<typeof Answer>['result']> {
    const id = ++this.#id;
    this.#socket.send(JSON.stringify({ id, method, params }));
    for (;;) {
      const [data] = (await once(this.#socket, 'message')) as [Buffer];
      const answer = Answer.safeParse(JSON.parse(data.toString('utf8')));
      if (answer.data?.id === id) return answer.data.result;
    }
  }
}
