import assert from 'node:assert/strict';
import { cli } from '../support/cli.ts';
import { type CliPlatform, cliPlatform } from '../support/cli-platform.ts';

describe('agent-harbor limits', function () {
  this.timeout(90_000);
  let platform: CliPlatform;
  before(async () => {
    platform = await cliPlatform();
  });
  after(() => platform?.[Symbol.asyncDispose]());

  const limits = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli(['limits', ...args, '--data-dir', platform.dataDir]);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const kept = async () => {
    const [settings] = await platform.client.purging.listTtl({}, {});
    return [settings?.shortlived_ttl_days, settings?.longlived_ttl_days];
  };

  it('sets for how many days new traces are kept, and those under extended retention at least as long', async () => {
    const [short = 0, long = 0] = await kept();
    assert.ok(short + 1 < long);
    assert.match(
      await limits('--trace-days', String(short + 1)),
      new RegExp(`Trace retention: +${short + 1} days`),
    );
    assert.deepEqual(await kept(), [short + 1, long]);
    const { trace_days } = JSON.parse(await limits('--trace-days', String(long + 7), '--json'));
    assert.equal(trace_days, long + 7);
    assert.deepEqual(await kept(), [long + 7, long + 7]);
  });

  it('sets and removes the other limits, and keeps those that are not named', async () => {
    await limits('--threads', '7', '--storage-bytes', '1000000', '--audit-days', '30');
    await limits('--threads', 'none');
    const { trace_days, ...set } = JSON.parse(await limits('--json'));
    assert.deepEqual(set, {
      max_unfinished_runs: null,
      max_threads: null,
      max_storage_bytes: 1_000_000,
      max_ingestions_per_minute: null,
      max_ingestion_bytes: null,
      audit_days: 30,
    });
  });

  it('refuses anything but a number of at least 1', async () => {
    for (const wrong of ['0', '1.5', 'many']) {
      const { code, stderr } = await cli(['limits', '--trace-days', wrong, '--data-dir', platform.dataDir]);
      assert.notEqual(code, 0);
      assert.match(stderr, /Must be a whole number of at least 1/);
    }
  });
});
