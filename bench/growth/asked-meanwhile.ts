import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const ASK_EVERY_MS = 20;

/**
 * The duration of an action, and the longest wait for `/ok` meanwhile, which shows how long it blocked an
 * event loop.
 */
export interface Asked<Result> {
  readonly result: Result;
  readonly ms: number;
  readonly worstOkMs: number;
}

/** Requests `/ok` every 20 ms while an action runs. */
export async function askMeanwhile<Result>(url: string, work: () => Promise<Result>): Promise<Asked<Result>> {
  const workerData = { url, everyMs: ASK_EVERY_MS };
  const asking = new Worker(new URL('ask-ok.ts', import.meta.url), { workerData });
  await once(asking, 'online');
  const began = performance.now();
  try {
    const result = await work();
    const ms = performance.now() - began;
    asking.postMessage('done');
    const [worstOkMs] = (await once(asking, 'message')) as [number];
    return { result, ms, worstOkMs };
  } finally {
    await asking.terminate();
  }
}
