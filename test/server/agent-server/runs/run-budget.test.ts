import assert from 'node:assert/strict';
import { Client } from '@langchain/langgraph-sdk';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';
import { WorkCounter, type WorkCounts } from '../../../support/work-counts.ts';

const RUNS = 20;

/** The maximum cost of a run, with the creation of its thread. `npm run profile` shows the actual one. */
interface Budget {
  readonly statements: number;
  readonly bytes: number;
  readonly puts: number;
  readonly putWrites: number;
  /** Characters of all messages of the runtime. */
  readonly chars: number;
}

/** The reads and writes of a run; how many transactions and rows of events there are depends on the machine. */
const RUN_TABLES =
  /"(threads|thread_metadata|assistants|runs|checkpoints|checkpoint_blobs|checkpoint_writes)"/;

describe('a run', () => {
  let served: ServedProject;
  before(async () => {
    served = await serveProject();
  });
  after(() => served[Symbol.asyncDispose]());

  async function streamed(graph: string, value: unknown = 1, thread?: string): Promise<string> {
    const client = new Client({ apiUrl: served.url, apiKey: served.apiKey });
    const thread_id = thread ?? (await client.threads.create()).thread_id;
    const events: string[] = [];
    const options = { input: { value }, streamMode: 'updates' } as const;
    for await (const { event } of client.runs.stream(thread_id, graph, options)) events.push(event);
    assert.equal(events.at(-1), 'updates');
    return thread_id;
  }

  async function counted(graph: string): Promise<WorkCounts> {
    await streamed(graph);
    const counter = new WorkCounter();
    counter.start();
    try {
      for (let run = 0; run < RUNS; run++) await streamed(graph);
    } catch (error) {
      counter.stop();
      throw error;
    }
    return counter.stop();
  }

  const budgets: Record<string, Budget> = {
    one_node: { statements: 22, bytes: 8_000, puts: 3, putWrites: 2, chars: 5_200 },
    ten_nodes: { statements: 67, bytes: 35_500, puts: 12, putWrites: 11, chars: 27_000 },
  };
  for (const [graph, budget] of Object.entries(budgets)) {
    it(`of ${graph} stays within its budget of statements, bytes and messages`, async () => {
      const { statements, messages, chars } = await counted(graph);
      const all = Object.entries(statements).filter(([sql]) => RUN_TABLES.test(sql));
      const sum = (field: 'times' | 'bytes') => all.reduce((total, [, one]) => total + one[field], 0) / RUNS;
      const cost = {
        statements: sum('times'),
        bytes: sum('bytes'),
        puts: (messages['checkpoints.put'] ?? 0) / RUNS,
        putWrites: (messages['checkpoints.put_writes'] ?? 0) / RUNS,
        chars: chars / RUNS,
      };
      for (const [what, most] of Object.entries(budget)) {
        const is: number = Reflect.get(cost, what);
        assert.ok(is > 0 && is <= most, `${is} ${what} a run; the budget is ${most}`);
      }
    });
  }

  it('reads the state of its thread once', async () => {
    const state = 'x'.repeat(100_000);
    const thread = await streamed('one_node', state);
    const counter = new WorkCounter();
    counter.start();
    try {
      await streamed('one_node', 1, thread);
    } finally {
      const read = Object.values(counter.stop().statements).reduce((sum, one) => sum + one.readBytes, 0);
      assert.ok(read >= state.length && read < 1.5 * state.length, `${read} bytes were read`);
    }
  });
});
