import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { sql } from 'kysely';
import { portOf } from '../../../../src/server/http/port-of.ts';
import type { Waiting } from '../../../../src/server/storage/unit.ts';
import { connectionOptions } from '../../../../src/server/team/postgres/connection-options.ts';
import { Lanes } from '../../../../src/server/team/postgres/lanes.ts';
import type { PostgresState } from '../../../../src/server/team/postgres/postgres-state.ts';
import { ResponseTimeouts } from '../../../../src/server/team/postgres/response-timeouts.ts';
import { RetryPolicy } from '../../../../src/server/team/postgres/retry-policy.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { tcpProxy } from '../../../support/tcp-proxy.ts';
import { openTeamState } from '../../../support/team-state.ts';
import { eventually } from '../../../support/wait.ts';

const COUNT = 6;
/** PostgreSQL's message when it has answered all of a request, outside of a transaction. */
const READY = Buffer.from('Z\0\0\0\u0005I', 'latin1');

const outlasting = (onAway?: Waiting['onAway']): Waiting => ({
  since: performance.now(),
  outlasts: true,
  ...(onAway === undefined ? {} : { onAway }),
});

describe('the lanes of a server', function () {
  this.timeout(90_000);
  let postgres: Postgres;
  let db: PostgresState;
  let url: string;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  beforeEach(async () => {
    url = await postgres.createDatabase();
    db = await openTeamState(url);
  });
  afterEach(() => db?.destroy());
  after(() => postgres?.[Symbol.asyncDispose]());

  /** Lanes of the server `db`, whose connections go through a port. */
  function lanesOver(port: number, retryPolicy = new RetryPolicy()) {
    const limits = new ResponseTimeouts();
    const lanes = new Lanes(
      {
        config: connectionOptions(url.replace(String(postgres.port), String(port)), 'lanes'),
        node: Number(db.node),
        retryPolicy,
        limits,
        onTakenOver: () => assert.fail('it is not taken over'),
      },
      COUNT,
    );
    const put = (name: string, waiting = outlasting()) => {
      const text = 'insert into settings (name, value) values ($1, $2)';
      const statement = { text, values: [name, ''], isPrepared: true };
      return lanes.store({ statements: [statement], subject: name, waiting });
    };
    return { lanes, limits, put };
  }
  const names = async () =>
    (await db.selectFrom('settings').select('name').execute()).map(({ name }) => name);

  it('store a unit only once when the answer to its commit was lost', async () => {
    let lost = 0;
    await using proxy = await tcpProxy(postgres.port, {
      filter: () => {
        let answers = 0;
        return (data) => {
          answers += data.includes(READY) ? 1 : 0;
          // The first two answers say that the connection is open and has its settings.
          if (answers < 3 || lost > 0) return data;
          lost++;
          setImmediate(() => proxy.reset());
          return Buffer.alloc(0);
        };
      },
    });
    const { lanes, put } = lanesOver(proxy.port);
    await put('one');
    assert.equal(lost, 1);
    assert.deepEqual(await names(), ['one']);
    await lanes.close();
  });

  it('give up a unit that breaks every connection, and continue with the others', async () => {
    let broken = 0;
    await using proxy = await tcpProxy(postgres.port, {
      breaks: (data) => {
        const isBreaking = data.includes('breaking');
        if (isBreaking) broken++;
        return isBreaking;
      },
    });
    const { lanes, put } = lanesOver(proxy.port);
    await assert.rejects(put('breaking'), { name: 'BrokenConnections' });
    assert.equal(broken, 5);
    await put('other');
    assert.deepEqual(await names(), ['other']);
    await lanes.close();
  });

  it('wait for a database that is read-only for now, such as a standby', async () => {
    const { lanes, put } = lanesOver(postgres.port);
    const name = new URL(url).pathname.slice(1);
    await sql`alter database ${sql.ref(name)} set default_transaction_read_only = on`.execute(db);
    let away = 0;
    const stored = put(
      'one',
      outlasting(() => ++away),
    );
    await Promise.race([stored, eventually('it waits', () => away > 0)]);
    await sql`alter database ${sql.ref(name)} set default_transaction_read_only = off`.execute(db);
    await stored;
    assert.deepEqual(await names(), ['one']);
    await lanes.close();
  });

  it('try nothing more when the server stops while PostgreSQL is unreachable', async () => {
    let connections = 0;
    const refusing = createServer((socket) => {
      connections++;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(refusing, 'listening');
    const retryPolicy = new RetryPolicy();
    const { lanes, put } = lanesOver(portOf(refusing), retryPolicy);
    const away = new Set<number>();
    const units = Array.from({ length: 10 }, (_, at) =>
      put(
        String(at),
        outlasting(() => away.add(at)),
      ),
    );
    const ended = Promise.allSettled(units);
    await eventually('all wait', () => away.size === units.length);
    retryPolicy.end();
    const before = connections;
    for (const result of await ended) assert.equal(result.status, 'rejected');
    // Connections that were already under way are not counted.
    assert.ok(connections - before <= COUNT, `${connections - before} connections`);
    await lanes.close();
    refusing.close();
  });

  it('abandon connections that say nothing, and stop when the server does', async () => {
    await using proxy = await tcpProxy(postgres.port);
    const retryPolicy = new RetryPolicy(1_000);
    const { lanes, limits, put } = lanesOver(proxy.port, retryPolicy);
    await put('before');
    proxy.cut();
    let away = 0;
    const lasting = put(
      'lasting',
      outlasting(() => ++away),
    );
    const request = put('request', { since: performance.now(), outlasts: false });
    await assert.rejects(request, { name: 'DatabaseUnreachable' });
    await eventually('it is away', () => away > 0, Boolean, 30_000);
    retryPolicy.end();
    limits.stop();
    await assert.rejects(lasting, { name: 'DatabaseUnreachable' });
    await lanes.close();
  });

  it('store a unit that takes longer than a connection may stay silent', async () => {
    const { lanes } = lanesOver(postgres.port);
    const add = "insert into settings (name, value) select 'slow', (select pg_sleep(12))::text";
    const statements = [{ text: add, values: [], isPrepared: false }];
    await lanes.store({ statements, subject: 'slow', waiting: outlasting() });
    assert.deepEqual(await names(), ['slow']);
    await lanes.close();
  });
});
