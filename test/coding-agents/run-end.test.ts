import assert from 'node:assert/strict';
import type { Dispatcher } from 'undici';
import { Client } from '../../src/client/client.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { runToEnd } from '../../src/coding-agents/run-end.ts';
import { httpPeer, json } from '../support/http-peer.ts';
import { eventually } from '../support/wait.ts';

const THREAD_ID = '018f3a5e-0000-7000-8000-000000000001';
const RUN = {
  run_id: '018f3a5e-0000-7000-8000-000000000002',
  thread_id: THREAD_ID,
  assistant_id: '018f3a5e-0000-7000-8000-000000000003',
  created_at: '2026-11-21T09:00:00Z',
  updated_at: '2026-11-21T09:00:00Z',
  status: 'pending',
  metadata: {},
  kwargs: {},
  multitask_strategy: 'enqueue',
};

describe('a run that a coding agent waits for', () => {
  let dispatcher: Dispatcher;
  before(() => {
    dispatcher = createDispatcher({});
  });
  after(() => dispatcher.close());

  it('ends with the reason for which its caller left, also if it cannot be canceled', async () => {
    await using peer = await httpPeer(({ url }, response) => {
      if (url.endsWith('/runs')) json(response, 200, RUN);
      else if (url.includes('/cancel')) json(response, 409, { detail: 'Not now.' });
      // A run that never ends: the request to join it is not answered.
    });
    const connection = {
      baseUrl: peer.url,
      controlPlaneUrl: peer.url,
      deploymentUrl: peer.url,
      credentials: {},
    };
    const client = new Client({ connection, dispatcher, retries: 0 });
    const caller = new AbortController();
    const context = {
      signal: caller.signal,
      platform: async () => client,
      deployment: () => Promise.reject(new Error('The deployment is not asked for.')),
      folder: async () => undefined,
      tracingProject: async () => undefined,
    };
    const ended = runToEnd(context, client, { threadId: THREAD_ID, assistantId: 'agent', body: {} });
    await eventually('the run is joined', () => peer.seen.some(({ url }) => url.endsWith('/join')));
    caller.abort(new Error('The caller has left.'));
    await assert.rejects(ended, /The caller has left\./);
    assert.ok(peer.seen.some(({ url }) => url.includes('/cancel')));
  });
});
