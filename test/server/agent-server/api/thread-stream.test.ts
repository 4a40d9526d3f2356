import assert from 'node:assert/strict';
import { threadStream } from '../../../../src/contract/agent-server/threads.ts';
import { DatabaseUnreachable } from '../../../../src/process/database-unreachable.ts';
import { threadStreamHandlers } from '../../../../src/server/agent-server/api/thread-stream-handlers.ts';
import { CommitQueue } from '../../../../src/server/agent-server/data/commit-queue.ts';
import { insertRun } from '../../../../src/server/agent-server/data/run-queries.ts';
import { RunStore } from '../../../../src/server/agent-server/data/run-store.ts';
import { ThreadStore } from '../../../../src/server/agent-server/data/thread-store.ts';
import { makeRunRow } from '../../../../src/server/agent-server/runs/run-rows.ts';
import { dispatcher } from '../../../../src/server/http/dispatch.ts';
import { notFound } from '../../../../src/server/http/errors.ts';
import { Origin } from '../../../../src/server/http/origin.ts';
import { loopbackOnly } from '../../../../src/server/http/origin-policy.ts';
import { Router } from '../../../../src/server/http/router.ts';
import { makeLogger } from '../../../../src/server/logger.ts';
import { DEPLOYMENT, deploymentDatabase, PAST } from '../../../support/deployment-database.ts';
import { liveRun } from '../../../support/live-run.ts';

describe('the stream of a thread', () => {
  it('has the state after a run, even if the database cannot be reached at once', async () => {
    await using made = await deploymentDatabase();
    const { db } = made;
    const thread = crypto.randomUUID();
    const queue = new CommitQueue(db);
    const store = new ThreadStore(db, DEPLOYMENT);
    const runs = new RunStore(db, DEPLOYMENT);
    const run = liveRun({ db, queue }, { threadId: thread });
    await db.commit((unit) => {
      store.insert(unit, { ...store.makeRow(thread, {}), values: '{"count":1}' });
      unit.run(insertRun, makeRunRow(run, DEPLOYMENT, db.node));
    });
    await db
      .updateTable('runs')
      .set({ status: 'success', thread_order: 1, started_at: PAST, ended_at: PAST })
      .execute();
    run.stream.end();

    // Like a database of a team, which is asked again until it answers.
    db.outlasting = async (read) => {
      for (;;) {
        try {
          return await read();
        } catch (error) {
          if (!(error instanceof DatabaseUnreachable)) throw error;
        }
      }
    };
    let looks = 0;
    const threads = {
      find: async (id: string) => {
        if (++looks === 2) throw new DatabaseUnreachable();
        return store.find(id);
      },
      require: async (id: string) => (await threads.find(id)) ?? assert.fail(notFound('Thread', id).message),
    };
    const source = { db, runs: { find: (id: string) => runs.find(id), stream: async () => run.stream } };
    const router = new Router().mount(threadStream, threadStreamHandlers(source, threads));
    const origin = await Origin.listen(
      0,
      dispatcher({
        router,
        logger: makeLogger({ level: 'silent' }),
        cors: () => loopbackOnly,
        bodyLimit: 1_000,
        authenticate: async () => ({ organizationId: 'o', workspaceId: 'w', by: { kind: 'loopback' } }),
      }),
    );
    const response = await fetch(`${origin.url}/threads/${thread}/stream?stream_mode=state_update`, {
      headers: { 'last-event-id': '-' },
    });
    assert.ok(response.body);
    let text = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes('\n\n')) break;
    }
    assert.match(text, /"values":\{"count":1\}/);
    await origin.close();
  });
});
