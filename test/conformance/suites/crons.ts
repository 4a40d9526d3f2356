import assert from 'node:assert/strict';
import type { Client } from '@langchain/langgraph-sdk';
import { eventually } from '../../support/wait.ts';

export function cronsSuite(client: () => Client, version: string): void {
  // Version 2.0.0 of the SDK sends neither a time zone nor an end, so its schedules are in UTC.
  const sendsTimezone = version === '1.15.0';

  describe('crons', () => {
    it('start runs on a thread on schedule, until they are deleted', async () => {
      const { crons, threads, runs } = client();
      const { thread_id } = await threads.create();
      const made = await crons.createForThread(thread_id, 'one_node', {
        schedule: '* * * * * *',
        input: { value: 1 },
      });
      const cronId = (made as { cron_id?: string }).cron_id ?? '';
      const run = await eventually('a run', async () => (await runs.list(thread_id))[0]);
      assert.equal(run.metadata?.cron_id, cronId);
      await crons.delete(cronId);
      await assert.rejects(crons.delete(cronId), /404/);
    });

    it('are created, changed, found and counted', async () => {
      const { crons } = client();
      const mark = crypto.randomUUID();
      const made = await crons.create('one_node', {
        schedule: '0 12 * * 1',
        timezone: 'Europe/Paris',
        endTime: '2030-01-01T00:00:00Z',
        metadata: { mark },
        input: { value: 1 },
        onRunCompleted: 'keep',
      });
      const [found] = await crons.search({ metadata: { mark } });
      assert.ok(found?.next_run_date);
      assert.match(found.next_run_date, sendsTimezone ? /T1[01]:00:00/ : /T12:00:00/);
      assert.equal(found.schedule, '0 12 * * 1');
      assert.equal(await crons.count({ metadata: { mark } }), 1);
      const [timed] = await crons.search({ metadata: { mark }, select: ['cron_id', 'now'] });
      assert.deepEqual(Object.keys(timed ?? {}), ['cron_id', 'now']);
      const changed = await crons.update(found.cron_id, {
        schedule: '30 6 * * *',
        timezone: 'UTC',
        metadata: { more: 1 },
        enabled: false,
      });
      assert.deepEqual(changed.metadata, { mark, more: 1 });
      assert.equal(changed.next_run_date, null);
      assert.equal((await crons.search({ metadata: { mark }, enabled: true })).length, 0);
      await crons.delete(found.cron_id);
      assert.ok(made);
    });

    it('are refused with an explanation when they could never run', async () => {
      const { crons } = client();
      await assert.rejects(crons.create('one_node', { schedule: 'every day' }), /422.*cron schedule/);
      if (!sendsTimezone) return;
      await assert.rejects(
        crons.create('one_node', { schedule: '0 0 * * *', timezone: 'Mars/Base' }),
        /422.*time zone/,
      );
    });
  });
}
