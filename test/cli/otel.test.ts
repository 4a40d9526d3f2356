import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { cli, startCli } from '../support/cli.ts';
import { dataFolder } from '../support/data-folder.ts';
import { eventually } from '../support/wait.ts';

const Ready = z.object({ url: z.string(), base_url: z.string() });

describe('agent-harbor otel', function () {
  this.timeout(60_000);

  it('accepts spans and log records from this machine without a key, but not from other hosts or foreign pages', async () => {
    await using folder = await dataFolder();
    const own = ['--data-dir', folder.path];
    await using otel = startCli(['otel', '--port', '0', '--project', 'shop', '--json', ...own]);
    const { url, base_url } = Ready.parse(JSON.parse(await otel.said('\n')));
    assert.notEqual(url, base_url);
    const now = BigInt(Date.now()) * 1_000_000n;
    const span = {
      traceId: randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      name: 'weather',
      startTimeUnixNano: `${now}`,
      endTimeUnixNano: `${now + 1_000_000n}`,
    };
    const { traceId, spanId } = span;
    const asked = { key: 'content', value: { stringValue: 'Weather in Paris?' } };
    const record = {
      ...{ traceId, spanId, eventName: 'gen_ai.user.message' },
      body: { kvlistValue: { values: [asked] } },
    };
    const body = JSON.stringify({
      resourceSpans: [{ scopeSpans: [{ spans: [span] }] }],
      resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }],
    });
    const send = (headers: Record<string, string> = {}, path = '/v1/traces') =>
      new Promise<number | undefined>((resolve, reject) => {
        const options = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
        const sent = request(`${url}${path}`, options, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        sent.once('error', reject);
        sent.end(body);
      });
    assert.equal(await send({ host: 'rebound.example' }), 403);
    assert.equal(await send({ origin: 'https://page.example' }), 403);
    assert.equal(await send({}, '/runs/query'), 404, 'nothing else is served there');
    const listed = async () => (await cli(['traces', '--project', 'shop', '--json', ...own])).stdout;
    assert.equal(await send(), 200);
    const traces = await eventually('the trace is listed', listed, (text) => text.includes('weather'));
    assert.equal(z.array(z.object({ name: z.string() })).parse(JSON.parse(traces)).length, 1);
    assert.equal(await send({}, '/v1/logs'), 200);
    const shown = await cli(['trace', '--project', 'shop', '--io', ...own]);
    assert.match(shown.stdout, /user: Weather in Paris\?/);
    const file = path.join(folder.path, 'exported', 'trace.json');
    const [{ id }] = z.tuple([z.object({ id: z.string() })]).parse(JSON.parse(traces));
    const written = await cli(['traces', 'export', id, '--output', file, ...own]);
    assert.equal(written.code, 0, written.stderr);
    const again = await cli(['traces', 'import', file, '--project', 'copies', '--json', ...own]);
    assert.deepEqual(JSON.parse(again.stdout), { spans: 1, traces: 1, refused: [] });
    assert.equal(JSON.parse(await listed()).length, 1, 'what is there stays as it is');
    const none = await cli(['traces', 'import', fileURLToPath(import.meta.url), ...own]);
    assert.match(none.stderr, /The file is not valid JSON/);
    const other = await cli(['otel', '--port', '0', '--project', 'other', ...own]);
    assert.deepEqual([other.code, other.stdout], [1, '']);
    assert.match(
      other.stderr,
      /already receives OpenTelemetry for the project 'shop'\. Stop that receiver first\./,
    );
    assert.equal((await otel.interrupt()).code, 0);
    await assert.rejects(send());
  });
});
