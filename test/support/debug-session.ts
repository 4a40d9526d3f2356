import type { Client } from '../../src/client/client.ts';
import { DebugEvent } from '../../src/contract/debugging.ts';
import { eventually } from './wait.ts';

type Process = Extract<DebugEvent, { type: 'process' }>;
type Told = Parameters<Client['debugging']['tellDebugged']>[0]['body'];

/** A debugging editor, from the point of view of the server. */
export class DebugSession implements AsyncDisposable {
  readonly told: DebugEvent[] = [];
  readonly #client: Client;
  readonly #deploymentId: string;
  readonly #ended = new AbortController();
  #following: Promise<void> = Promise.resolve();

  private constructor(client: Client, deploymentId: string) {
    this.#client = client;
    this.#deploymentId = deploymentId;
  }

  /** The processes that can be attached to, in the order in which they were reported. */
  get processes(): readonly Process[] {
    return this.told.filter((event) => event.type === 'process');
  }

  /** Resolves when the server has ended the session, or `end()` has. */
  get following(): Promise<void> {
    return this.#following;
  }

  /** @param debugpy a folder with a debugpy, for Python environments that have none */
  static async begin(client: Client, deploymentId: string, debugpy?: string): Promise<DebugSession> {
    const session = new DebugSession(client, deploymentId);
    const stream = await client.debugging.debug(
      { params: { deployment_id: deploymentId }, body: debugpy === undefined ? {} : { debugpy } },
      { signal: session.#ended.signal },
    );
    session.#following = (async () => {
      for await (const { data } of stream) session.told.push(DebugEvent.parse(data));
    })().catch(() => {});
    return session;
  }

  /** The first process that can be attached to. */
  async process(): Promise<Process> {
    const event = await eventually('the fresh process', () => this.told[0], Boolean, 60_000);
    if (event.type !== 'process') throw new Error(JSON.stringify(event));
    return event;
  }

  async tell({ process_id }: Process, body: Told): Promise<void> {
    await this.#client.debugging.tellDebugged({
      params: { deployment_id: this.#deploymentId, process_id },
      body,
    });
  }

  async end(): Promise<void> {
    this.#ended.abort();
    await this.#following;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }
}
