import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

// In a separate thread, because the one that measures is busy reading.
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
