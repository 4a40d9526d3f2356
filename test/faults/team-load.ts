import assert from 'node:assert/strict';
import type { Client } from '@langchain/langgraph-sdk';
import { eventually } from '../support/wait.ts';

interface Acknowledged {
  readonly threadId: string;
  readonly runId: string;
}

/** How many steps each run of the load has, and how long each of them takes. */
export interface LoadSteps {
  readonly steps: number;
  readonly stepMs: number;
}

/** A graph of several steps, so that a fault finds runs that are under way. */
export const loadFiles = ({ steps, stepMs }: LoadSteps) => ({
  'langgraph.json': JSON.stringify({ graphs: { count: './count.mjs:graph' } }),
  'count.mjs': `
import { setTimeout as delay } from 'node:timers/promises';
import { Annotation, StateGraph } from '@langchain/langgraph';
const builder = new StateGraph(Annotation.Root({ value: Annotation() }));
const names = Array.from({ length: ${steps} }, (_, at) => 'step' + at);
for (const name of names)
  builder.addNode(name, async ({ value }) => {
    await delay(${stepMs});
    return { value: value + 1 };
  });
names.forEach((name, at) => builder.addEdge(names[at - 1] ?? '__start__', name));
export const graph = builder.compile();
`,
});

/**
 * Clients that start runs on their own threads, one after the other, and read each as a stream, each time from another
 * server. They continue until they are told to stop.
 */
export class TeamLoad {
  readonly acknowledged: Acknowledged[] = [];
  /** The steps of each run. */
  readonly #steps: number;
  readonly #anyClient: () => Client;
  readonly #clients: Promise<void>[];
  #isOver = false;
  /** Clients wait for this before they start another run. */
  #rest: Promise<unknown> = Promise.resolve();

  /** @param anyClient of one of the servers that are up, as far as is known. */
  constructor(clients: number, { steps }: LoadSteps, anyClient: () => Client) {
    this.#steps = steps;
    this.#anyClient = anyClient;
    this.#clients = Array.from({ length: clients }, () => this.#work());
  }

  /** Waits until this many more runs are acknowledged. */
  async goOn(runs: number): Promise<void> {
    const wanted = this.acknowledged.length + runs;
    await eventually('runs are acknowledged', () => this.acknowledged.length >= wanted, Boolean, 60_000);
  }

  /** Pauses the clients while an action runs. */
  async restDuring<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = work();
    this.#rest = done.catch(() => {});
    return done;
  }

  /** Stops the clients, and checks that nothing that was acknowledged is lost, done twice, or shown with gaps. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
    for (const threadId of new Set(this.acknowledged.map((run) => run.threadId))) {
      const { status, values } = await tryAgain(() =>
        this.#anyClient().threads.get<{ value: number }>(threadId),
      );
      assert.deepEqual([status, values.value], ['idle', this.#steps]);
    }
  }

  async #work(): Promise<void> {
    const { thread_id: threadId } = await tryAgain(() => this.#anyClient().threads.create());
    for (;;) {
      await this.#rest;
      if (this.#isOver) break;
      // A run that is not acknowledged may have been stored or not.
      const run = await this.#anyClient()
        .runs.create(threadId, 'count', { input: { value: 0 } })
        .catch(() => undefined);
      if (run === undefined) continue;
      this.acknowledged.push({ threadId, runId: run.run_id });
      await this.#readToTheEnd(threadId, run.run_id);
      const result = await tryAgain(() => this.#anyClient().runs.join(threadId, run.run_id));
      assert.deepEqual(result, { value: this.#steps }, `run ${run.run_id}`);
    }
  }

  /** Joins the stream of a run wherever it breaks off, until the run has ended and all of it is read. */
  async #readToTheEnd(threadId: string, runId: string): Promise<void> {
    const numbers: number[] = [];
    for (let hasEnded = false; ; ) {
      const { status } = await tryAgain(() => this.#anyClient().runs.get(threadId, runId));
      hasEnded = status !== 'pending' && status !== 'running';
      const isWhole = await this.#read(threadId, runId, numbers);
      if (hasEnded && isWhole) {
        if (status !== 'success') {
          const result = await tryAgain(() => this.#anyClient().runs.join(threadId, runId));
          assert.fail(`run ${runId} ended as ${status}: ${JSON.stringify(result)}`);
        }
        break;
      }
    }
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index + 1),
      `run ${runId}`,
    );
  }

  /** Reads the stream of a run. @returns whether the stream came to its end. */
  async #read(threadId: string, runId: string, numbers: number[]): Promise<boolean> {
    const lastEventId = String(numbers.at(-1) ?? -1);
    try {
      for await (const { id } of this.#anyClient().runs.joinStream(threadId, runId, { lastEventId }))
        if (id !== undefined) numbers.push(Number(id));
      return true;
    } catch {
      return false;
    }
  }
}

/** Retries until a server that can be reached answers. */
function tryAgain<Result>(ask: () => Promise<Result>): Promise<Result> {
  return eventually('a server answers', ask, () => true, 60_000);
}
