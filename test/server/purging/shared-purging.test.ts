import assert from 'node:assert/strict';
import pg from 'pg';
import type { PurgeJob } from '../../../src/contract/purging.ts';
import { TRACES_SCHEMA } from '../../../src/server/team/traces/traces-tables.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { type Postgres, requirePostgres } from '../../support/postgres.ts';
import { newRun, postParts, sendParts } from '../../support/traces.ts';
import { tracesDatabaseOf } from '../../support/traces-database.ts';
import { eventually } from '../../support/wait.ts';

/**
 * SQL after which each of the first attempts to update a purge's targets executes one of the statements. Attempts are counted
 * by a sequence, which a rollback does not reset.
 */
const failEachAttempt = (statements: readonly string[]) => `
  create sequence public.attempts;
  create function public.break() returns trigger language plpgsql as $$
  begin
    case nextval('public.attempts')
      ${statements.map((statement, at) => `when ${at + 1} then ${statement};`).join('\n')}
      else null;
    end case;
    return new;
  end $$;
  create trigger break before update on ${TRACES_SCHEMA}.purge_targets for each row execute function public.break()`;

describe('a purge of traces in PostgreSQL', function () {
  this.timeout(120_000);
  let postgres: Postgres;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  /** Purges three traces, while the database executes one of the statements in each of the first attempts. */
  async function purgeWhile(
    statements: readonly string[],
  ): Promise<{ job: PurgeJob; events: string[]; attempts: number }> {
    const traces = await tracesDatabaseOf(postgres);
    const platform = await startPlatform({ traces });
    const client = new pg.Client(traces.url);
    try {
      await client.connect();
      await store(platform, 3);
      await client.query(failEachAttempt(statements));
      const asked = await platform.fetch('/api/v1/runs/delete', {
        method: 'POST',
        body: { metadata: { user: 'u1' } },
      });
      const { job_id } = (await asked.json()) as { job_id: string };
      const read = async () => (await (await platform.fetch(`/purge/jobs/${job_id}`)).json()) as PurgeJob;
      const job = await eventually(
        'the purge ends',
        read,
        ({ status }) => status === 'verified' || status === 'failed',
        60_000,
      );
      const audit = (await (await platform.fetch('/purge/audit')).json()) as { event: string }[];
      const { rows } = await client.query<{ last_value: string }>('select last_value from public.attempts');
      return { job, events: audit.map(({ event }) => event), attempts: Number(rows[0]?.last_value) };
    } finally {
      await client.end();
      await platform.close();
    }
  }

  it('continues after a broken connection and a deadlock', async () => {
    const failures = [
      'perform pg_terminate_backend(pg_backend_pid())',
      `raise exception 'deadlock detected' using errcode = '40P01'`,
    ];
    const { job, events, attempts } = await purgeWhile(failures);
    assert.deepEqual([job.status, job.matched, job.deleted, job.error], ['verified', 3, 3, null]);
    assert.deepEqual(events, ['verified', 'requested']);
    assert.ok(attempts > failures.length, String(attempts));
  });

  it('fails after an error that trying again cannot help', async () => {
    const { job, events } = await purgeWhile([`raise exception 'not like this'`]);
    assert.deepEqual([job.status, job.deleted], ['failed', 0]);
    assert.match(job.error ?? '', /not like this/);
    assert.deepEqual(events, ['failed', 'requested']);
  });
});

async function store(platform: Platform, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const { status } = await sendParts(
      platform,
      postParts(newRun(), { extra: { metadata: { user: 'u1' } } }),
    );
    assert.equal(status, 202);
  }
}
