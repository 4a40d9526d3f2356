import process from 'node:process';
import { Worker } from 'node:worker_threads';

const WATCH_VARIABLE = 'AGENT_HARBOR_WATCH_PARENT';

/** Plain JavaScript, because a worker thread shares no code. An orphan has another parent process. */
const WATCH = `
  const { workerData: parent } = require('node:worker_threads');
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, 1_000);
`;

/**
 * Ends this process when its parent has died, even while user code blocks the event loop, from a thread of its
 * own. Only used where the server knows of no other way, because a thread of Node's takes 18 MB.
 */
export function watchParent(): void {
  if (process.env[WATCH_VARIABLE] !== '1') return;
  delete process.env[WATCH_VARIABLE];
  // Read here, because the server may be gone when the thread starts. Without the user's NODE_OPTIONS, whose
  // loaders and hooks are for the graphs.
  new Worker(WATCH, { eval: true, workerData: process.ppid, env: {}, execArgv: [] }).unref();
}
