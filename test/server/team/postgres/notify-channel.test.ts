import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectionOptions } from '../../../../src/server/team/postgres/connection-options.ts';
import { NotifyChannel } from '../../../../src/server/team/postgres/notify-channel.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { tcpProxy } from '../../../support/tcp-proxy.ts';
import { eventually } from '../../../support/wait.ts';

const NAME = 'agent-harbor listening';
/** Longer than the channel waits before it connects again. */
const RECONNECTED_MS = 2_500;

describe('the channel of a team', function () {
  this.timeout(60_000);
  let postgres: Postgres;
  let admin: pg.Client;
  let url: string;
  before(async function () {
    postgres = await requirePostgres(this);
    url = await postgres.createDatabase();
    admin = new pg.Client(url);
    await admin.connect();
  });
  after(async () => {
    await admin?.end();
    await postgres?.[Symbol.asyncDispose]();
  });

  const listening = async () => {
    const { rows } = await admin.query<{ pid: number }>(
      'select pid from pg_stat_activity where application_name = $1',
      [NAME],
    );
    return rows.map(({ pid }) => pid);
  };

  it('receives everything once when a connection on which it could not listen ends late', async () => {
    // The first connection is not allowed to listen, as on a copy of the database; then nothing gets through
    // for a while.
    let connections = 0;
    await using proxy = await tcpProxy(postgres.port, {
      filter: () => {
        const isFirst = ++connections === 1;
        return (data) => {
          if (!isFirst || !data.includes(LISTENS)) return data;
          proxy.cut();
          return refuseToListen(data);
        };
      },
    });
    const throughProxy = new URL(url);
    throughProxy.port = String(proxy.port);
    const heard: string[] = [];
    const channel = await NotifyChannel.open({
      config: connectionOptions(throughProxy.href, NAME),
      onNotified: (payload) => heard.push(payload),
    });
    const [first] = await listening();
    await eventually('it connects again', () => connections === 2);
    proxy.mend();
    const other = async () => {
      const pids = await listening();
      return pids.length === 1 && pids[0] !== first;
    };
    await eventually('the first connection has ended, and the second one is there', other);
    await sleep(RECONNECTED_MS);
    assert.equal((await listening()).length, 1);
    await channel.notify('one');
    await channel.notify('two');
    await eventually('both are heard', () => heard.includes('two'));
    assert.deepEqual(heard, ['one', 'two']);
    await channel.close();
  });

  it('receives again after its connection was ended', async () => {
    const heard: string[] = [];
    const channel = await NotifyChannel.open({
      config: connectionOptions(url, NAME),
      onNotified: (payload) => heard.push(payload),
    });
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
      NAME,
    ]);
    const isHeard = async () => {
      await admin.query("select pg_notify('agent_harbor', 'again')");
      return heard.length > 0;
    };
    await eventually('it is heard', isHeard, Boolean, 20_000);
    await channel.close();
  });
});

/** PostgreSQL’s answer to `listen`. */
const LISTENS = message('C', 'LISTEN\0');

function refuseToListen(answer: Buffer): Buffer {
  const at = answer.indexOf(LISTENS);
  const refusal = message('E', 'SERROR\0C25006\0Mcannot execute LISTEN during recovery\0\0');
  return Buffer.concat([answer.subarray(0, at), refusal, answer.subarray(at + LISTENS.length)]);
}

/** A message in PostgreSQL’s protocol. */
function message(type: string, text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(length.length + Buffer.byteLength(text));
  return Buffer.concat([Buffer.from(type), length, Buffer.from(text)]);
}
