import assert from 'node:assert/strict';
import { z } from 'zod';
import { eventually } from '../support/wait.ts';
import type { Journal, JournaledRun } from './journal.ts';
import { Assistant, call, follow, Item, Run, Thread } from './workload.ts';

const NEVER = new AbortController().signal;
/** The longest wait, on a busy machine. */
const MAX_WAIT_MS = 300_000;

/**
 * Checks that everything acknowledged is stored, no run continues forever, and readers get every event once.
 */
export async function check(url: string, journal: Journal): Promise<void> {
  for (const id of journal.threads) await call(url, 'GET', `/threads/${id}`, undefined, Thread);
  for (const id of journal.assistants) await call(url, 'GET', `/assistants/${id}`, undefined, Assistant);
  for (const [key, value] of journal.items) {
    const item = await call(url, 'GET', `/store/items?namespace=faults&key=${key}`, undefined, Item);
    assert.equal(item?.value.value, value, `item ${key}`);
  }
  for (const run of journal.runs) await checkRun(url, run);
}

async function checkRun(url: string, run: JournaledRun): Promise<void> {
  const route = `/threads/${run.threadId}/runs/${run.runId}`;
  const ended = await eventually(
    `run ${run.runId} has ended`,
    () => call(url, 'GET', route, undefined, Run),
    ({ status }) => status !== 'pending' && status !== 'running',
    MAX_WAIT_MS,
  );
  if (ended.status !== 'success') {
    const why = await call(url, 'GET', `${route}/join`, undefined, z.unknown());
    assert.fail(`run ${run.runId} ended as ${ended.status}: ${JSON.stringify(why)}`);
  }
  const thread = await call(url, 'GET', `/threads/${run.threadId}`, undefined, Thread);
  // Ten nodes that each add one, so that lost or repeated steps change the result.
  assert.deepEqual([thread.status, thread.values], ['idle', { value: 10 }], `thread ${run.threadId}`);
  const before = run.seen.length;
  await follow(url, run, NEVER);
  const whole: JournaledRun = { ...run, seen: [] };
  await follow(url, whole, NEVER);
  assert.deepEqual(run.seen, whole.seen, `the reader of ${run.runId} that rejoined after ${before} events`);
  run.seen.forEach(({ id }, at) => {
    assert.equal(id, at + 1, `events of ${run.runId} are numbered without gaps`);
  });
  const told = run.seen.filter(({ event }) => event === 'updates').map(({ data }) => data);
  assert.equal(new Set(told).size, 10, `every step of ${run.runId} was seen: ${told.join(' ')}`);
  assert.equal(told.length, 10, `every step of ${run.runId} was seen once: ${told.join(' ')}`);
}
