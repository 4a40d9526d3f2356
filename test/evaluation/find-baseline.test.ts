import assert from 'node:assert/strict';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { findBaseline } from '../../src/evaluation/find-baseline.ts';
import { clientOf } from '../../src/launcher/client-of.ts';
import { type Answer, httpPeer, json } from '../support/http-peer.ts';

const ID = '0198a000-0000-7000-8000-000000000001';

describe('the baseline of an experiment', () => {
  async function find(name: string, answer: Answer) {
    await using peer = await httpPeer(answer);
    const client = clientOf({ baseUrl: peer.url, apiKey: 'none' }, createDispatcher());
    return await findBaseline(client, ID, undefined, { name, commit: undefined, project: 'docs' });
  }

  it('is not looked up as a branch if the platform refuses to look for an experiment of its name', async () => {
    const answer: Answer = (_, response, count) =>
      count === 0 ? json(response, 403, { detail: 'Not for you.' }) : json(response, 200, []);
    await assert.rejects(find('main', answer), /Not for you/);
  });

  it('may be a branch whose name looks like an ID', async () => {
    const answer: Answer = ({ url }, response) =>
      url.includes(`/sessions/${ID}`)
        ? json(response, 404, { detail: 'Session not found' })
        : json(response, 200, []);
    assert.equal(await find(ID, answer), undefined);
  });
});
