import assert from 'node:assert/strict';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@langchain/langgraph-sdk';
import { type ServedProject, serveProject } from '../../support/served-project.ts';
import { eventually } from '../../support/wait.ts';

/** More than sockets and the newest events in memory hold. */
const EVENTS = 150_000;

describe('a reader that does not read', function () {
  this.timeout(120_000);
  let served: ServedProject;
  before(async () => {
    served = await serveProject();
  });
  after(() => served[Symbol.asyncDispose]());

  it('gets every event of a stateless run when it goes on reading, long after the run has ended', async () => {
    const client = new Client({ apiUrl: served.url, apiKey: null });
    const body = JSON.stringify({
      assistant_id: 'custom_events',
      input: { count: EVENTS },
      stream_mode: ['custom'],
    });
    const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      const outgoing = request(`${served.url}/runs/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
      });
      outgoing.once('response', resolve).once('error', reject).end(body);
    });
    response.pause();
    const { number } = await eventually(
      'the run has ended',
      async () => {
        const metrics: unknown = await (await fetch(`${served.url}/metrics?format=json`)).json();
        return { number: JSON.stringify(metrics).includes('"num_running":0') ? 0 : 1 };
      },
      ({ number }) => number === 0,
      60_000,
    );
    assert.equal(number, 0);
    await delay(200);
    let text = '';
    for await (const chunk of response) text += String(chunk);
    const indexes = [...text.matchAll(/"index":(\d+)/g)].map(([, index]) => Number(index));
    assert.equal(indexes.length, EVENTS);
    assert.ok(indexes.every((index, at) => index === at));
    assert.ok(await client.threads.count());
  });
});
