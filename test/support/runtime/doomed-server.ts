// Imitates a server that a test kills: `doomed-server.ts '{"file","args","cwd","graphs","kernel"}'` loads
// graphs in a runtime and prints its process id. Without `kernel`, the operating system is not asked to end
// the runtime with it.

import { LogBook } from '../../../src/server/runtimes/output/log-book.ts';
import { RuntimeProcess } from '../../../src/server/runtimes/process/runtime-process.ts';
import { spawnRuntime } from '../../../src/server/runtimes/process/spawn-runtime.ts';
import { makeStopWithServer } from '../../../src/server/runtimes/process/stop-with-server.ts';
import { refusedRequests } from './refused-requests.ts';

const { file, args, cwd, graphs, kernel } = JSON.parse(process.argv[2] ?? '{}');
const env: Record<string, string> = {};
for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] = value;
const watched = { file, args, cwd, env: { ...env, AGENT_HARBOR_WATCH_PARENT: '1' } };
const command = kernel ? (await makeStopWithServer())({ file, args, cwd, env }) : watched;

const runtime = new RuntimeProcess(
  spawnRuntime(command),
  {
    requests: refusedRequests,
    notifications: {
      'run.events': () => {},
      'checkpoints.put': () => {},
      'checkpoints.put_writes': () => {},
      'exchange.record': () => {},
      'model.end': () => {},
      'http.body': () => {},
      log: () => {},
    },
  },
  new LogBook(),
);
process.stdout.write(`${runtime.pid}\n`);
await runtime.initialize({ project_dir: cwd, graphs }, undefined);
