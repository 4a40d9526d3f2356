/**
 * A server process that kills itself (`kill -9`) at a given point. With the number 7, `before` is before the
 * seventh write of the commit queue, by a request or by a run, `after` is when that write is in the database
 * and those who wait for it are about to be told, and `commit` is right after the seventh commit of any
 * transaction, before anything else can run. Prints where it serves.
 *
 * Its argument is the options as JSON; bundled by `crashing-server.ts`.
 */
import { StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { CommitQueue } from '../../src/server/agent-server/data/commit-queue.ts';
import { DataFolder } from '../../src/server/data-folder.ts';
import { makeLogger } from '../../src/server/logger.ts';
import { Server } from '../../src/server/server.ts';
import { serverOptions } from '../support/server-options.ts';

const Point = z.strictObject({ when: z.enum(['before', 'after', 'commit']), number: z.int().positive() });
export type CrashPoint = z.output<typeof Point>;

const Options = z.strictObject({
  dataDir: z.string(),
  configPath: z.string(),
  /** Absent if it does not kill itself. */
  point: Point.optional(),
  nodeRuntime: z.string(),
  pythonRuntime: z.string(),
  tracesWorker: z.string(),
});
export type CrashServerOptions = z.output<typeof Options>;

const { dataDir, configPath, point, nodeRuntime, pythonRuntime, tracesWorker } = Options.parse(
  JSON.parse(process.argv[2] ?? ''),
);
if (point !== undefined) dieAt(point);
const server = await Server.start({
  ...serverOptions,
  programs: {
    nodeRuntime,
    pythonRuntime,
    tracesWorker: pathToFileURL(tracesWorker),
    // Nothing here starts these: there is no team, whose servers beat and link traces, and nothing is built.
    tracesLink: pathToFileURL(tracesWorker),
    heartbeat: pathToFileURL(tracesWorker),
    buildGuard: '',
  },
  folder: await DataFolder.open(dataDir),
  logger: makeLogger({ level: process.env.TEST_LOG ?? 'silent' }),
});
const response = await fetch(`${server.baseUrl}/harbor/workspaces`, {
  method: 'POST',
  headers: { 'x-api-key': server.apiKey, 'content-type': 'application/json' },
  body: JSON.stringify({ config_path: configPath, port: 0 }),
});
const opened = (await response.json()) as object;
process.stdout.write(
  `${JSON.stringify({ ...opened, platform_url: server.baseUrl, api_key: server.apiKey })}\n`,
);
const told = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
});
void Promise.race([server.ended, told])
  .then(() => server.stop())
  .then(() => process.exit(0));
// The parent ends it; without a parent there is no client to serve.
process.stdin.resume();
process.stdin.on('end', () => process.exit());

function dieAt({ when, number }: CrashPoint): void {
  if (when === 'commit') {
    dieAfterCommit(number);
    return;
  }
  let count = 0;
  const dying = <Given extends unknown[]>(write: (this: CommitQueue, ...given: Given) => Promise<void>) =>
    function (this: CommitQueue, ...given: Given): Promise<void> {
      const isIt = ++count === number;
      if (isIt && when === 'before') process.kill(process.pid, 'SIGKILL');
      const done = write.apply(this, given);
      return isIt && when === 'after' ? done.then(() => void process.kill(process.pid, 'SIGKILL')) : done;
    };
  CommitQueue.prototype.write = dying(CommitQueue.prototype.write);
  CommitQueue.prototype.writeForRun = dying(CommitQueue.prototype.writeForRun);
}

function dieAfterCommit(number: number): void {
  let count = 0;
  StatementSync.prototype.run = new Proxy(StatementSync.prototype.run, {
    apply(run, statement: StatementSync, values) {
      const result: unknown = Reflect.apply(run, statement, values);
      if (statement.sourceSQL.toLowerCase() === 'commit' && ++count === number)
        process.kill(process.pid, 'SIGKILL');
      return result;
    },
  });
}
