import assert from 'node:assert/strict';
import type { Dispatcher } from 'undici';
import { Client } from '../../src/client/client.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { RequestError } from '../../src/client/request-error.ts';
import {
  RevisionFailedError,
  type WaitOptions,
  waitForRevision,
} from '../../src/client/wait-for-revision.ts';
import { type Answer, httpPeer, json } from '../support/http-peer.ts';

const params = {
  deployment_id: '018f3a5e-0000-7000-8000-000000000001',
  revision_id: '018f3a5e-0000-7000-8000-000000000002',
};

type Look = { status: string; status_message?: string } | number | 'lost';

describe('waiting for a revision', () => {
  let dispatcher: Dispatcher;
  before(() => {
    dispatcher = createDispatcher({});
  });
  after(() => dispatcher.close());

  /** Waits for a server that answers each poll with the next of these, and from then on with the last. */
  async function waiting(looks: readonly Look[], options: WaitOptions = {}) {
    const times: number[] = [];
    const answer: Answer = (_request, response, count) => {
      times.push(performance.now());
      const look = looks[Math.min(count, looks.length - 1)];
      if (look === 'lost') response.destroy();
      else if (typeof look === 'number') json(response, look, { detail: `Revision ID is ${look}.` });
      else json(response, 200, { id: params.revision_id, created_at: '2026-11-21T09:00:00Z', ...look });
    };
    await using peer = await httpPeer(answer);
    const connection = {
      baseUrl: peer.url,
      controlPlaneUrl: peer.url,
      deploymentUrl: peer.url,
      credentials: {},
    };
    const client = new Client({ connection, dispatcher });
    const outcome = await waitForRevision(client.revisions, params, options).catch((error: unknown) => error);
    return {
      outcome,
      looks: times.length,
      gaps: times.slice(1).map((time, index) => time - (times[index] ?? 0)),
    };
  }

  it('pauses between requests, briefly after every new status', async () => {
    const asked: number[] = [];
    const { outcome, looks } = await waiting(
      [{ status: 'CREATING' }, { status: 'BUILDING' }, { status: 'BUILDING' }, { status: 'DEPLOYED' }],
      { pause: async (ms) => void asked.push(ms) },
    );
    assert.equal((outcome as { status: string }).status, 'DEPLOYED');
    assert.equal(looks, 4);
    assert.deepEqual(asked, [250, 250, 375]);
  });

  it('succeeds only with DEPLOYED, and reports every status once', async () => {
    const statuses: string[] = [];
    const { outcome } = await waiting(
      [{ status: 'CREATING' }, { status: 'BUILDING' }, { status: 'BUILDING' }, { status: 'DEPLOYED' }],
      { onStatus: ({ status }) => void statuses.push(status) },
    );
    assert.equal((outcome as { status: string }).status, 'DEPLOYED');
    assert.deepEqual(statuses, ['CREATING', 'BUILDING', 'DEPLOYED']);
  });

  it('fails with any status that contains FAILED, known or not, and with those of skipped and interrupted revisions', async () => {
    for (const status of [
      'CREATE_FAILED',
      'BUILD_FAILED',
      'DEPLOY_FAILED',
      'FAILED_SOMEHOW',
      'SKIPPED',
      'INTERRUPTED',
    ]) {
      const { outcome, looks } = await waiting([{ status, status_message: 'It was not to be.' }]);
      assert.ok(outcome instanceof RevisionFailedError, status);
      assert.match(outcome.message, new RegExp(`ended with ${status}: It was not to be\\.`));
      assert.equal(looks, 1);
    }
  });

  it('keeps waiting at an unknown status', async () => {
    const { outcome } = await waiting([{ status: 'POLISHING' }, { status: 'DEPLOYED' }]);
    assert.equal((outcome as { status: string }).status, 'DEPLOYED');
  });

  it('survives a temporary 404, 5xx, 429 or lost connection', async () => {
    const { outcome, looks } = await waiting([404, 503, 'lost', 429, { status: 'DEPLOYED' }]);
    assert.equal((outcome as { status: string }).status, 'DEPLOYED');
    assert.equal(looks, 5);
  });

  it('fails when errors last longer than its time limit', async () => {
    const { outcome } = await waiting([404], { maxOutageMs: 100 });
    assert.ok(outcome instanceof RequestError);
    assert.equal(outcome.status, 404);
  });

  it('fails immediately when refused', async () => {
    for (const status of [400, 401, 403, 422]) {
      const { outcome, looks } = await waiting([status]);
      assert.ok(outcome instanceof RequestError);
      assert.deepEqual([outcome.status, looks], [status, 1]);
    }
  });

  it('polls less and less often, and often again after a change', async () => {
    const building = { status: 'BUILDING' };
    const { gaps } = await waiting([
      building,
      building,
      building,
      { status: 'DEPLOYING' },
      { status: 'DEPLOYED' },
    ]);
    const atLeast = [250, 375, 562, 250];
    assert.equal(gaps.length, atLeast.length);
    for (const [index, ms] of atLeast.entries()) assert.ok((gaps[index] ?? 0) >= ms - 2, gaps.join());
  });

  it('stops when aborted, before, between and during requests, with the signal’s reason', async () => {
    const reason = new Error('The user has gone.');
    const before = await waiting([{ status: 'BUILDING' }], { signal: AbortSignal.abort(reason) });
    assert.deepEqual([before.outcome, before.looks], [reason, 0]);
    const between = new AbortController();
    const { outcome, looks } = await waiting([{ status: 'BUILDING' }], {
      signal: between.signal,
      onStatus: () => void setTimeout(() => between.abort(reason), 20),
    });
    assert.deepEqual([outcome, looks], [reason, 1]);
  });
});
