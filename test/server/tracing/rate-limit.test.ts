import assert from 'node:assert/strict';
import { startPlatform } from '../../support/platform.ts';
import { newRun, postParts, sendParts } from '../../support/traces.ts';

describe('rate limits', () => {
  it('limit single runs earlier than multipart requests, and send Retry-After', async () => {
    const platform = await startPlatform({ limits: { single: 3, many: 5 } });
    try {
      const single = async () =>
        (await platform.fetch('/runs', { method: 'POST', body: { ...newRun(), inputs: {} } })).status;
      assert.deepEqual([await single(), await single(), await single()], [202, 202, 202]);
      const refused = await platform.fetch('/runs', { method: 'POST', body: { ...newRun(), inputs: {} } });
      assert.equal(refused.status, 429);
      const seconds = Number(refused.headers.get('retry-after'));
      assert.ok(seconds > 0 && seconds <= 20);
      assert.match(await refused.text(), /multipart/);
      assert.equal((await sendParts(platform, postParts(newRun()))).status, 202);
    } finally {
      await platform.close();
    }
  });

  it('advise only senders of single runs to send multipart requests', async () => {
    const platform = await startPlatform({ limits: { single: 1, many: 1 } });
    try {
      const single = () => platform.fetch('/runs', { method: 'POST', body: { ...newRun(), inputs: {} } });
      const many = () => sendParts(platform, postParts(newRun()));
      assert.deepEqual([(await single()).status, (await many()).status], [202, 202]);
      assert.match(
        await (await single()).text(),
        /"Too many single runs: the limit is 1 per minute\. Try again in \d+ s, or send many runs as one multipart request\."/,
      );
      assert.match(
        await (await many()).text(),
        /"Too many requests with runs: the limit is 1 per minute\. Try again in \d+ s\."/,
      );
    } finally {
      await platform.close();
    }
  });
});
