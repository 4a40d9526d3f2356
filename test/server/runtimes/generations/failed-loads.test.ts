import assert from 'node:assert/strict';
import path from 'node:path';
import { IdleMemory } from '../../../../src/process/idle-memory.ts';
import type { ServerAccess } from '../../../../src/runtime/protocol/protocol.ts';
import { Debugging } from '../../../../src/server/runtimes/generations/debugging.ts';
import { loadGeneration } from '../../../../src/server/runtimes/generations/load-generation.ts';
import { LogBook } from '../../../../src/server/runtimes/output/log-book.ts';
import { launchProcess } from '../../../../src/server/runtimes/process/launch-runtime.ts';
import type { RuntimeChild } from '../../../../src/server/runtimes/process/runtime-child.ts';
import { readProject } from '../../../../src/server/runtimes/project/project.ts';
import { type GraphProject, graphProject } from '../../../support/projects.ts';
import { nodeRuntime, pythonRuntime } from '../../../support/runtime/node-bundle.ts';
import { refusedRequests } from '../../../support/runtime/refused-requests.ts';
import { eventually } from '../../../support/wait.ts';

const refuse = (): never => {
  throw new Error('No run was started.');
};

describe('the process of a load', function () {
  this.timeout(60_000);
  let project: GraphProject;
  let bundle: string;

  before(async () => {
    bundle = await nodeRuntime();
    project = await graphProject({
      line: 'langgraph-1.1',
      empty: true,
      files: {
        'langgraph.json': JSON.stringify({ graphs: { slow: './slow.mjs:graph' } }),
        'slow.mjs': `console.log('loading');
await new Promise((resolve) => setTimeout(resolve, 3_600_000));`,
      },
    });
  });
  after(() => project?.[Symbol.asyncDispose]());

  /** Loads the project into a process, which is returned as soon as it has been started. */
  async function begin(server: () => Promise<ServerAccess>, signal: AbortSignal) {
    const started = Promise.withResolvers<RuntimeChild>();
    const log = new LogBook();
    const loading = loadGeneration(
      await readProject(path.join(project.folder, 'langgraph.json'), {}),
      {},
      undefined,
      {
        nodeRuntime: bundle,
        pythonRuntime,
        log,
        debugging: new Debugging(),
        isDeployed: false,
        revisionId: null,
        launch: async (command) => {
          const child = await launchProcess(command);
          started.resolve(child);
          return child;
        },
        server,
        memory: new IdleMemory(),
        requests: refusedRequests,
        notifications: {
          'run.events': refuse,
          'checkpoints.put': refuse,
          'checkpoints.put_writes': refuse,
          'exchange.record': refuse,
          'model.end': refuse,
          'http.body': refuse,
          log: refuse,
        },
      },
      signal,
    );
    return { loading, started: started.promise, log };
  }

  it('ends when the load is aborted, which fails with the reason of its signal', async () => {
    const controller = new AbortController();
    const { loading, started, log } = await begin(async () => ({ token: 'none' }), controller.signal);
    const child = await started;
    await eventually(
      'the graph loads',
      async () => log.lines.map(({ message }) => message),
      (lines) => lines.includes('loading'),
    );
    controller.abort(new Error('not needed any more'));
    await assert.rejects(loading, { message: 'not needed any more' });
    await child.exited;
  });

  it('ends when the address of the server cannot be found', async () => {
    const server = () => Promise.reject(new Error('no address'));
    const { loading, started } = await begin(server, new AbortController().signal);
    await assert.rejects(loading, { message: 'no address' });
    await (await started).exited;
  });
});
