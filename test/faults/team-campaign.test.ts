import assert from 'node:assert/strict';
import type { Client } from '@langchain/langgraph-sdk';
import pg from 'pg';
import { type Postgres, requirePostgres } from '../support/postgres.ts';
import { graphProject } from '../support/projects.ts';
import { makeTeam, type TeamNode } from '../support/team.ts';
import { eventually } from '../support/wait.ts';
import { random } from './random.ts';

const NODES = 3;
const CLIENTS = 6;
/** How often something is done to a server; `npm run soak` says more. */
const FAULTS = Number(process.env.TEAM_FAULTS ?? 1);
const SEED = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** How many streams are read again at the end. */
const STREAMS = 20 * FAULTS;

interface Acknowledged {
  readonly threadId: string;
  readonly runId: string;
}

describe('three servers of a team under load', function () {
  this.timeout(120_000 + FAULTS * 30_000);
  let postgres: Postgres;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  it(`lose nothing that was acknowledged when they are killed, put to sleep and stopped (seed ${SEED})`, async () => {
    const below = random(SEED);
    const database = await postgres.createDatabase();
    const config = JSON.stringify({ graphs: { ten_nodes: './basic.ts:tenNodes' } });
    const project = await graphProject({ line: 'langgraph-1.7', files: { 'langgraph.json': config } });
    await using team = await makeTeam(database, project);
    const nodes: TeamNode[] = await Promise.all(Array.from({ length: NODES }, () => team.start()));
    // Clients draw numbers of their own, so that the seed repeats what is done to which server.
    const draw = random(SEED + 1);
    const anyClient = (): Client => (nodes[draw(nodes.length)] ?? assert.fail()).client;
    const acknowledged: Acknowledged[] = [];
    let isOver = false;

    const clients = Array.from({ length: CLIENTS }, async () => {
      const { thread_id: threadId } = await tryAgain(() => anyClient().threads.create());
      while (!isOver) {
        // What is not acknowledged may have been stored or not.
        const run = await anyClient()
          .runs.create(threadId, 'ten_nodes', { input: { value: 0 } })
          .catch(() => undefined);
        if (run === undefined) continue;
        acknowledged.push({ threadId, runId: run.run_id });
        await tryAgain(async () => {
          const { status } = await anyClient().runs.get(threadId, run.run_id);
          if (status === 'pending' || status === 'running') throw new Error('It has not ended.');
          return status;
        });
      }
    });

    for (let fault = 0; fault < FAULTS; fault++) {
      const before = acknowledged.length;
      await eventually(
        'runs are acknowledged',
        () => acknowledged.length >= before + CLIENTS,
        Boolean,
        60_000,
      );
      const at = below(nodes.length);
      const node = nodes[at] ?? assert.fail();
      const signals = ['SIGKILL', 'SIGSTOP', 'SIGTERM'] as const;
      const signal = signals[below(signals.length)] ?? 'SIGKILL';
      nodes.splice(at, 1);
      process.kill(node.pid, signal);
      nodes.push(await team.start());
      if (signal === 'SIGSTOP') {
        const isTakenOver = async () => (await countNodes(database)) === NODES;
        await eventually('others take over from the one that sleeps', isTakenOver, Boolean, 60_000);
        process.kill(node.pid, 'SIGCONT');
        assert.equal((await node.cli.ended()).code, 5);
      }
    }
    isOver = true;
    await Promise.all(clients);
    assert.ok(acknowledged.length >= FAULTS * CLIENTS);
    const ended = await Promise.all(
      acknowledged.map(({ threadId, runId }) => anyClient().runs.get(threadId, runId)),
    );
    assert.deepEqual(
      ended.filter(({ status }) => status !== 'success').map(({ run_id, status }) => [run_id, status]),
      [],
    );
    for (let read = 0; read < STREAMS; read++) {
      const { threadId, runId } = acknowledged[draw(acknowledged.length)] ?? assert.fail();
      const numbers: number[] = [];
      for await (const { id } of anyClient().runs.joinStream(threadId, runId, { lastEventId: '-1' }))
        if (id !== undefined) numbers.push(Number(id));
      assert.deepEqual(
        numbers,
        numbers.map((_, index) => index + 1),
      );
    }
    for (const threadId of new Set(acknowledged.map((run) => run.threadId))) {
      const { status, values } = await anyClient().threads.get<{ value: number }>(threadId);
      assert.deepEqual([status, values.value], ['idle', 10]);
    }
  });
});

/** How many servers the database knows. */
async function countNodes(database: string): Promise<number> {
  const client = new pg.Client(database);
  try {
    await client.connect();
    return (await client.query('select from nodes')).rowCount ?? 0;
  } finally {
    await client.end();
  }
}

/** Asks until a server that can be reached says so. */
function tryAgain<Result>(ask: () => Promise<Result>): Promise<Result> {
  return eventually('a server answers', ask, () => true, 60_000);
}
