import assert from 'node:assert/strict';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { newRun, postParts, sendParts } from '../../support/traces.ts';

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

  it('expires as requested, and after three hours by default', async () => {
    const lasts = async (fields: object) => {
      const token = (await (await make(wanted(fields))).json()) as Token;
      return Math.round((Date.parse(token.expires_at) - Date.now()) / 60_000);
    };
    assert.equal(await lasts({}), 180);
    assert.equal(await lasts({ expires_in: {} }), 180);
    assert.equal(await lasts({ expires_in: { days: 1, minutes: 5 } }), 24 * 60 + 5);
    assert.equal(await lasts({ expires_at: new Date(Date.now() + 600_000).toISOString() }), 10);
  });

  it('is not created when it would already be expired, and the answer names the field', async () => {
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

describe('feedback', () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  const post = async (route: string, body: object, method = 'POST') => {
    const response = await platform.fetch(route, { method, body });
    assert.equal(response.status, 200, await response.clone().text());
    return (await response.json()) as { id: string; url: string; share_token: string };
  };

  it('is refused without a run, trace or project', async () => {
    const response = await platform.fetch('/feedback', { method: 'POST', body: { key: 'k', score: 1 } });
    assert.equal(response.status, 422);
    assert.match(
      await response.text(),
      /"loc":\["body","run_id"\],"msg":"One of run_id, trace_id and session_id is required/,
    );
  });

  it('may have the names of object members as keys and values', async () => {
    const run = newRun();
    await sendParts(platform, postParts(run));
    for (const name of ['__proto__', 'constructor']) {
      await post('/feedback', { run_id: run.id, key: name, value: name, comment: 'fine' });
    }
    const text = await (await platform.fetch(`/runs/${run.id}`)).text();
    for (const name of ['__proto__', 'constructor']) {
      assert.match(text, new RegExp(`"${name}":\\{"n":1,[^}]*"values":\\{"${name}":1\\}`));
    }
  });

  it('is not shown with its link, nor with a shared trace', async () => {
    const run = newRun();
    await sendParts(platform, postParts(run));
    const { url } = await post('/feedback/tokens', { run_id: run.id, feedback_key: 'k' });
    assert.equal((await fetch(`${url}?score=1&comment=between%20us`)).status, 200);
    const withMetadata = await fetch(`${url}?score=1&metadata=%7B%7D`);
    assert.equal(withMetadata.status, 422);
    assert.match(await withMetadata.text(), /Use POST/);
    const token = url.split('/').at(-1) ?? '';
    for (const route of [`/feedback?run=${run.id}`, `/runs/${run.id}`]) {
      const text = await (await platform.fetch(route)).text();
      assert.match(text, /between us/);
      assert.ok(!text.includes(token), route);
    }
    const { share_token } = await post(`/runs/${run.id}/share`, {}, 'PUT');
    const shared = `${platform.url}/public/${share_token}`;
    for (const route of [`${shared}/run`, `${shared}/runs`, `${shared}/run/${run.id}`]) {
      const text = await (await fetch(route)).text();
      assert.match(text, new RegExp(run.id));
      assert.doesNotMatch(text, /between us|feedback_stats/);
    }
    const query = (body: object) =>
      fetch(`${shared}/runs/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    assert.doesNotMatch(await (await query({ select: ['feedback_stats'] })).text(), /between us/);
    for (const field of ['filter', 'search_filter', 'trace_filter', 'tree_filter']) {
      for (const filter of [
        'like(feedback_comment, "b%")',
        'or(eq(name, "x"), eq("feedback_comment", "b"))',
      ]) {
        const answer = await query({ [field]: filter });
        assert.equal(answer.status, 422, `${field}: ${filter}`);
        assert.match(await answer.text(), /feedback of a shared trace cannot be filtered/);
      }
    }
  });

  it('accepts the same configuration again, whatever is_lower_score_better is', async () => {
    const config = {
      feedback_key: crypto.randomUUID(),
      feedback_config: { type: 'continuous', min: 0, max: 1 },
    };
    await post('/feedback-configs', { ...config, is_lower_score_better: true });
    for (const body of [config, { ...config, is_lower_score_better: false }]) {
      const again = await platform.fetch('/feedback-configs', { method: 'POST', body });
      assert.equal(again.status, 200);
      assert.equal(((await again.json()) as { is_lower_score_better: boolean }).is_lower_score_better, true);
    }
    const otherwise = { ...config, feedback_config: { type: 'continuous', min: 0, max: 2 } };
    const refused = await platform.fetch('/feedback-configs', { method: 'POST', body: otherwise });
    assert.equal(refused.status, 409);
  });

  it('is shared with experiments as numbers, without texts', async () => {
    const dataset = await post('/datasets', { name: crypto.randomUUID() });
    const name = crypto.randomUUID();
    await post('/sessions', { name, reference_dataset_id: dataset.id });
    const run = newRun({ session_name: name });
    await sendParts(platform, postParts(run));
    await post('/feedback', { key: 'good', run_id: run.id, score: 0.5, comment: 'between us' });
    await post('/feedback', { key: 'note', run_id: run.id, value: 'for our eyes only' });
    const share = async (query: string) => {
      const { share_token } = await post(`/datasets/${dataset.id}/share${query}`, {}, 'PUT');
      return (await fetch(`${platform.url}/api/v1/public/${share_token}/datasets/sessions`)).text();
    };
    assert.equal(await share(''), '[]');
    const text = await share('?share_projects=true');
    assert.match(text, /"good":\{"n":1,"avg":0.5/);
    assert.match(text, /"note":\{"n":1,/);
    assert.doesNotMatch(text, /between us|for our eyes only/);
    assert.equal(await share('?share_projects=false'), '[]');
  });
});
