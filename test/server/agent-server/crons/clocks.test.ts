import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { sql } from 'kysely';
import { DatabaseUnreachable } from '../../../../src/process/database-unreachable.ts';
import { CronClock } from '../../../../src/server/agent-server/crons/cron-clock.ts';
import { type CronRow, CronStore } from '../../../../src/server/agent-server/data/cron-store.ts';
import { portOf } from '../../../../src/server/http/port-of.ts';
import { LogBook } from '../../../../src/server/runtimes/output/log-book.ts';
import { DEPLOYMENT, deploymentDatabase, PAST } from '../../../support/deployment-database.ts';
import { httpPeer } from '../../../support/http-peer.ts';
import { eventually } from '../../../support/wait.ts';
import { webhookOutbox, webhookRow } from '../../../support/webhook-outbox.ts';

async function parts() {
  const made = await deploymentDatabase();
  const { db } = made;
  return {
    db,
    /** Makes every query of a table fail until it is restored. */
    takeAway: async (table: string) => {
      await sql.raw(`ALTER TABLE ${table} RENAME TO away`).execute(db);
      return () => sql.raw(`ALTER TABLE away RENAME TO ${table}`).execute(db);
    },
    [Symbol.asyncDispose]: async () => {
      await made[Symbol.asyncDispose]();
    },
  };
}

/** A cron that is due for the first time at a given time. */
const everySecond = (first: string): CronRow => ({
  cron_id: crypto.randomUUID(),
  deployment_id: DEPLOYMENT,
  assistant_id: crypto.randomUUID(),
  thread_id: null,
  schedule: '* * * * * *',
  timezone: null,
  end_time: null,
  enabled: 1,
  on_run_completed: 'delete',
  payload: '{}',
  metadata: '{"mine":1}',
  user_id: null,
  next_run_date: first,
  created_at: PAST,
  updated_at: PAST,
});

describe('timed work of an agent server', () => {
  it('starts crons again when the storage has recovered', async () => {
    await using made = await parts();
    const store = new CronStore(made.db, DEPLOYMENT);
    const started: unknown[] = [];
    const start = (request: { metadata: object }) => {
      started.push(request.metadata);
      return Promise.reject(new Error('It has been seen.'));
    };
    const log = new LogBook();
    const clock = new CronClock({
      store,
      requests: { createStateless: start, createOnThread: (_, request) => start(request) },
      log,
      maxWaitMs: 20,
    });
    await clock.start();
    const bringBack = await made.takeAway('crons');
    clock.wake();
    await eventually('it has failed', () =>
      log.lines.some(({ message }) => message.includes('no such table')),
    );
    await bringBack();
    await store.insert(everySecond(PAST));
    await eventually('the cron has fired', () => started.length > 0);
    await clock.close();
  });

  it('starts a run of a cron later whose start could not be stored', async () => {
    await using made = await parts();
    const store = new CronStore(made.db, DEPLOYMENT);
    let asked = 0;
    const start = () => Promise.reject(asked++ === 0 ? new DatabaseUnreachable() : new Error('It is seen.'));
    const clock = new CronClock({
      store,
      requests: { createStateless: start, createOnThread: start },
      log: new LogBook(),
      maxWaitMs: 20,
    });
    await clock.start();
    await store.insert({ ...everySecond(PAST), schedule: '0 0 29 2 *' });
    clock.wake();
    await eventually('it is started again', () => asked === 2);
    await clock.close();
  });

  it('starts the runs of other crons beside one whose start cannot be stored, which it reports', async () => {
    await using made = await parts();
    const store = new CronStore(made.db, DEPLOYMENT);
    const locked = everySecond(PAST);
    const other = Promise.withResolvers<void>();
    const start = async ({ metadata }: { metadata?: { cron_id?: unknown } }) => {
      if (metadata?.cron_id !== locked.cron_id) {
        other.resolve();
        throw new Error('It is seen.');
      }
      await other.promise;
      throw new DatabaseUnreachable();
    };
    const log = new LogBook();
    const clock = new CronClock({
      store,
      requests: { createStateless: start, createOnThread: (_, request) => start(request) },
      log,
    });
    await clock.start();
    const later = new Date(Date.parse(PAST) + 1).toISOString();
    for (const row of [locked, everySecond(later)]) await store.insert(row);
    clock.wake();
    await other.promise;
    await eventually('it is told', () => log.lines.some(({ message }) => /cannot be reached/.test(message)));
    await clock.close();
    assert.equal((await store.find(locked.cron_id))?.next_run_date, PAST);
  });

  it('runs crons at the right times when the clock is set back', async () => {
    await using made = await parts();
    const store = new CronStore(made.db, DEPLOYMENT);
    let started = 0;
    const start = () => {
      started++;
      return Promise.reject(new Error('It has been seen.'));
    };
    const clock = new CronClock({
      store,
      requests: { createStateless: start, createOnThread: start },
      log: new LogBook(),
      maxWaitMs: 20,
    });
    await store.insert(everySecond(PAST));
    const { now } = Date;
    try {
      // A day ahead, until the next run is planned.
      Date.now = () => now() + 86_400_000;
      await clock.start();
      await eventually('the clock was seen to be ahead', async () => {
        const [row] = await store.listScheduled();
        return Date.parse(row?.next_run_date ?? '') > now() + 80_000_000;
      });
    } finally {
      Date.now = now;
    }
    const before = started;
    await eventually('it runs by the clock as it is now', () => started > before);
    await clock.close();
  });

  it('runs other crons beside one with a damaged row, which is logged once and kept', async () => {
    await using made = await parts();
    const store = new CronStore(made.db, DEPLOYMENT);
    let started = 0;
    const start = () => {
      started++;
      return Promise.reject(new Error('It has been seen.'));
    };
    const log = new LogBook();
    const clock = new CronClock({
      store,
      requests: { createStateless: start, createOnThread: start },
      log,
      maxWaitMs: 20,
    });
    const damaged = { ...everySecond(PAST), schedule: 'jun', timezone: 'Mars/Base' };
    const timeless = everySecond('junk');
    const unreadable = { ...everySecond(PAST), payload: '{"cut' };
    for (const row of [damaged, unreadable, timeless]) await store.insert(row);
    await clock.start();
    await eventually('the one with an invalid time has run', () => started > 1);
    await clock.close();
    assert.equal((await store.find(damaged.cron_id))?.next_run_date, null);
    const named = (id: string) => log.lines.filter(({ message }) => message.includes(id));
    assert.equal(named(damaged.cron_id).length, 1);
    assert.match(named(unreadable.cron_id).at(-1)?.message ?? '', /could not start its run/);
  });

  it('delivers webhooks again when the storage has recovered', async () => {
    await using made = await parts();
    let received = 0;
    const receiver = createServer((_, response) => {
      received++;
      response.end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => receiver.once('listening', resolve));
    const port = portOf(receiver);
    await made.db
      .insertInto('webhooks')
      .values(webhookRow(`http://127.0.0.1:${port}/`))
      .execute();
    const bringBack = await made.takeAway('webhooks');
    const log = new LogBook();
    const outbox = webhookOutbox(made.db, { log, retryMs: 20 });
    outbox.start();
    await eventually('it has failed', () =>
      log.lines.some(({ message }) => message.includes('no such table')),
    );
    await bringBack();
    await eventually('the webhook has come', () => received > 0);
    await outbox.close();
    receiver.close();
  });

  it('writes nothing about a webhook that it was delivering when it ended', async () => {
    await using made = await parts();
    // The receiver of the webhook never answers.
    await using peer = await httpPeer(() => {});
    const webhook = webhookRow(peer.url);
    await made.db.insertInto('webhooks').values(webhook).execute();
    await sql`create trigger refusing before update on webhooks
      begin select raise(abort, 'It is written.'); end`.execute(made.db);
    const log = new LogBook();
    const outbox = webhookOutbox(made.db, { log });
    outbox.start();
    await eventually('it is sent', () => peer.seen.length === 1);
    await outbox.close();
    assert.deepEqual(log.lines, []);
    const [left] = await made.db.selectFrom('webhooks').selectAll().execute();
    assert.deepEqual({ ...left }, webhook);
  });
});
