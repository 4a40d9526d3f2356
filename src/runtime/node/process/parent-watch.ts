import process from 'node:process';
import { Worker } from 'node:worker_threads';

const WATCH_VARIABLE = 'AGENT_HARBOR_WATCH_PARENT';

/** The code of the worker thread. If the parent has died, the process gets another parent. */
const WATCH = `
  const { workerData: parent } = require('node:worker_threads');
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, 1_000);
`;

/**
 * Ends this process when its parent has died, even while user code blocks the event loop. It needs a worker
 * thread, which takes 18 MB, so the server turns it on only where the system offers no other way.
 */
export function watchParent(): void {
  if (process.env[WATCH_VARIABLE] !== '1') return;
  delete process.env[WATCH_VARIABLE];
  // The parent's ID is read here, because the server may be gone when the thread starts. The thread starts
  // without the user's NODE_OPTIONS, whose loaders and hooks are for the graphs.
  new Worker(WATCH, { eval: true, workerData: process.ppid, env: {}, execArgv: [] }).unref();
}
