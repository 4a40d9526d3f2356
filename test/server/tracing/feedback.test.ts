import assert from 'node:assert/strict';
import { type Platform, startPlatform } from '../../support/platform.ts';

interface Token {
  readonly url: string;
  readonly expires_at: string;
}

describe('a feedback link', () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  const make = (body: unknown) => platform.fetch('/feedback/tokens', { method: 'POST', body });
  const wanted = (fields: object = {}) => ({
    run_id: crypto.randomUUID(),
    feedback_key: 'helpful',
    ...fields,
  });

  it('lasts as long as it is asked for, and three hours when nothing is said', async () => {
    const lasts = async (fields: object) => {
      const token = (await (await make(wanted(fields))).json()) as Token;
      return Math.round((Date.parse(token.expires_at) - Date.now()) / 60_000);
    };
    assert.equal(await lasts({}), 180);
    assert.equal(await lasts({ expires_in: {} }), 180);
    assert.equal(await lasts({ expires_in: { days: 1, minutes: 5 } }), 24 * 60 + 5);
    assert.equal(await lasts({ expires_at: new Date(Date.now() + 600_000).toISOString() }), 10);
  });

  it('is not made when it would have expired already, and the answer names the field', async () => {
    const refused = async (body: unknown) => {
      const response = await make(body);
      const { detail } = (await response.json()) as { detail: { loc: unknown[]; msg: string }[] };
      return [response.status, detail[0]?.loc];
    };
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    assert.deepEqual(await refused(wanted({ expires_at: yesterday })), [422, ['body', 'expires_at']]);
    assert.deepEqual(await refused(wanted({ expires_in: { minutes: 0 } })), [422, ['body', 'expires_in']]);
    assert.equal((await refused(wanted({ expires_in: { minutes: -5 } })))[0], 422);
    const several = [wanted(), wanted({ expires_at: yesterday })];
    assert.deepEqual(await refused(several), [422, ['body', 1, 'expires_at']]);
    const listed = await platform.fetch(`/feedback/tokens?run_id=${several[0]?.run_id}`);
    assert.deepEqual(await listed.json(), []);
  });
});
