import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

// A thread of its own: the one that measures is busy with what it reads.
const { url, everyMs } = workerData as { url: string; everyMs: number };
let worstMs = 0;
let isDone = false;
parentPort?.once('message', () => {
  isDone = true;
});
while (!isDone) {
  const began = performance.now();
  await (await fetch(`${url}/ok`)).arrayBuffer();
  worstMs = Math.max(worstMs, performance.now() - began);
  await sleep(everyMs);
}
parentPort?.postMessage(worstMs);
