import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from '@langchain/langgraph-sdk';
import { type ServedProject, serveProject } from '../support/served-project.ts';
import { eventually } from '../support/wait.ts';

const BIG = `
import { Annotation, START, StateGraph } from '@langchain/langgraph';
const Counted = Annotation.Root({ size: Annotation(), value: Annotation(), text: Annotation() });
const add = (name) => async ({ size, value = 0 }) => {
  while (!existsSync(name)) await delay(20);
  return { value: value + 1, text: 'x'.repeat(size) + name };
};
export const steps = new StateGraph(Counted)
  .addNode('first', add('first'))
  .addNode('second', add('second'))
  .addNode('third', add('third'))
  .addNode('fourth', add('fourth'))
  .addEdge(START, 'first')
  .addEdge('first', 'second')
  .addEdge('second', 'third')
  .addEdge('third', 'fourth')
  .compile();
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
export const big = new StateGraph(Annotation.Root({ size: Annotation(), text: Annotation() }))
  .addNode('wait', async ({ size }) => {
    while (!existsSync('go')) await delay(20);
    return { text: 'x'.repeat(size) };
  })
  .addEdge(START, 'wait')
  .compile();
`;

describe('a disk that is full when a run ends', function () {
  this.timeout(90_000);
  let served: ServedProject;
  let database: DatabaseSync | undefined;
  const client = () => new Client({ apiUrl: served.url, apiKey: null });

  before(async () => {
    // SQLite itself reports that there is no space: its size limit simulates a full disk.
    const { prepare } = DatabaseSync.prototype;
    DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...given) {
      if (this.location()?.endsWith('state.db')) database ??= this;
      return prepare.apply(this, given);
    };
    served = await serveProject({
      empty: true,
      files: {
        'langgraph.json': '{"graphs":{"big":"./big.js:big","steps":"./big.js:steps"}}',
        'big.js': BIG,
      },
    });
    DatabaseSync.prototype.prepare = prepare;
  });
  after(() => served[Symbol.asyncDispose]());

  function room(pages: 'no' | 'enough'): void {
    if (database === undefined) assert.fail('the database was not seen');
    const { page_count } = database.prepare('PRAGMA page_count').get() as { page_count: number };
    database.exec(`PRAGMA max_page_count = ${pages === 'no' ? page_count : 1_000_000}`);
  }

  /** A run whose last step finds no space, and a client that waits for the run. */
  async function withoutRoom() {
    const { thread_id } = await client().threads.create();
    const { run_id } = await client().runs.create(thread_id, 'big', { input: { size: 3_000_000 } });
    await eventually('its step has begun', async () => {
      const { next } = await client().threads.getState(thread_id);
      return next[0] === 'wait';
    });
    const told: string[] = [];
    const waiting = client()
      .runs.join(thread_id, run_id)
      .then(
        (state) => told.push(JSON.stringify(state).slice(0, 200)),
        (error: unknown) => told.push(String(error)),
      );
    room('no');
    await writeFile(path.join(served.project.folder, 'go'), '');
    await eventually('storing has failed', async () =>
      (await served.log()).some((line) => line.includes('Could not store')),
    );
    return { thread_id, run_id, told, waiting };
  }

  it('announces no end that is not stored, and ends the run when there is space again', async () => {
    const { thread_id, run_id, told, waiting } = await withoutRoom();
    const cancelled = client().runs.cancel(thread_id, run_id, true);
    assert.equal((await client().runs.get(thread_id, run_id)).status, 'running');
    assert.deepEqual(told, []);
    room('enough');
    await waiting;
    await cancelled;
    const { status } = await client().runs.get(thread_id, run_id);
    assert.equal(status, 'error');
    assert.match(told[0] ?? '', /StorageError.*full/);
    assert.equal((await client().threads.get(thread_id)).status, 'error');
    const again = await client().runs.wait(thread_id, 'big', { input: { size: 3 } });
    assert.deepEqual(again, { size: 3, text: 'xxx' });
  });

  it('leaves a thread with the values of its newest stored checkpoint, which is complete', async () => {
    const { threads, runs } = client();
    const { thread_id } = await threads.create();
    const { run_id } = await runs.create(thread_id, 'steps', { input: { size: 3_000_000 } });
    const letGo = (node: string) => writeFile(path.join(served.project.folder, node), '');
    const isAt = (node: string) =>
      eventually(
        `its node ${node} has begun`,
        async () => (await threads.getState(thread_id)).next,
        ([next]) => next === node,
      );
    await letGo('first');
    await isAt('second');
    const said = (await served.log()).length;
    room('no');
    await letGo('second');
    await eventually('storing has failed', async () =>
      (await served.log()).slice(said).some((line) => line.includes('Could not store')),
    );
    room('enough');
    await letGo('third');
    await letGo('fourth');
    await runs.join(thread_id, run_id).catch(() => {});
    const thread = await threads.get<{ value: number }>(thread_id);
    const state = await threads.getState<{ value: number }>(thread_id);
    assert.equal(thread.status, 'error');
    assert.match(JSON.stringify(thread.error), /StorageError/);
    assert.deepEqual(thread.values, state.values);
    assert.deepEqual([state.values.value, state.next], [1, ['second']]);
    const [newest] = await threads.search<{ value: number }>({ ids: [thread_id] });
    assert.equal(newest?.values.value, 1);
    assert.equal(((await runs.wait(thread_id, 'steps', { input: null })) as { value: number }).value, 4);
  });

  it('refuses a new state as it refuses everything else, and takes it when there is space', async () => {
    const { threads, runs } = client();
    const { thread_id } = await threads.create();
    await writeFile(path.join(served.project.folder, 'go'), '');
    await runs.wait(thread_id, 'big', { input: { size: 1 } });
    const update = () =>
      fetch(`${served.url}/threads/${thread_id}/state`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ values: { text: 'y'.repeat(5_000_000) } }),
      });
    room('no');
    const refused = await update();
    room('enough');
    assert.deepEqual(
      [refused.status, await refused.json()],
      [507, { detail: 'The disk is full. Nothing was stored. Free some space and try again.' }],
    );
    assert.equal((await threads.getState<{ text: string }>(thread_id)).values.text, 'x');
    assert.equal((await update()).status, 200);
  });
});
