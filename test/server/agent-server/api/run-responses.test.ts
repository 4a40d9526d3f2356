import assert from 'node:assert/strict';
import { RunResponses } from '../../../../src/server/agent-server/api/run-responses.ts';
import { CommitQueue } from '../../../../src/server/agent-server/data/commit-queue.ts';
import { LiveRun } from '../../../../src/server/agent-server/runs/live-run.ts';
import { RunStream } from '../../../../src/server/agent-server/runs/run-stream.ts';
import { deploymentDatabase } from '../../../support/deployment-database.ts';

const KWARGS = {
  input: null,
  command: null,
  config: {},
  context: {},
  checkpoint: null,
  stream_mode: [],
  stream_subgraphs: false,
  stream_resumable: false,
  durability: 'async' as const,
};

describe('a run whose caller disconnected before it was accepted', () => {
  for (const [onDisconnect, expected] of [
    ['cancel', ['run']],
    ['continue', []],
  ] as const)
    it(`is left to on_disconnect: ${onDisconnect}`, async () => {
      await using made = await deploymentDatabase();
      const { db } = made;
      const ids = { run_id: 'run', thread_id: 'thread' };
      const run = new LiveRun(
        {
          runId: ids.run_id,
          threadId: ids.thread_id,
          assistantId: 'assistant',
          graphId: 'graph',
          metadata: {},
          kwargs: KWARGS,
          multitaskStrategy: 'enqueue',
          stateless: false,
          startAfter: 0,
        },
        new RunStream(ids, { db, queue: new CommitQueue(db) }),
      );
      const canceled: string[] = [];
      const unused = () => Promise.reject(new Error('This is not read.'));
      const responses = new RunResponses(
        { require: unused, findLive: unused, waitForResult: unused, stream: unused },
        {
          cancel: ({ identity }) => {
            canceled.push(identity.runId);
            return Promise.resolve();
          },
        },
      );
      responses.wait(run, onDisconnect, AbortSignal.abort());
      assert.deepEqual(canceled, expected);
    });
});
