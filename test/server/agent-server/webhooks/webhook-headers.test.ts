import assert from 'node:assert/strict';
import { webhookHeaders } from '../../../../src/server/agent-server/webhooks/webhook-headers.ts';

describe('the headers of webhooks', () => {
  const config = {
    env_prefix: 'LG_WEBHOOK_',
    headers: { authorization: `Bearer \${{ env.LG_WEBHOOK_KEY }}` },
    url: {},
  };

  it('are filled in from the environment', () => {
    assert.deepEqual(webhookHeaders(config, { LG_WEBHOOK_KEY: 'k' }), { authorization: 'Bearer k' });
  });

  it('use no variable without the prefix or a value', () => {
    assert.throws(() => webhookHeaders(config, {}), /not set/);
    const other = { ...config, headers: { a: `\${{ env.OPENAI_API_KEY }}` } };
    assert.throws(() => webhookHeaders(other, { OPENAI_API_KEY: 'secret' }), /start with LG_WEBHOOK_/);
  });
});
