import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { cli } from '../support/cli.ts';
import { type OwnPostgres, requireOwnPostgres } from '../support/postgres.ts';
import { makeTeam } from '../support/team.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The tests' own user and one with few connections need no password, one may only come over TLS, and two others need one. */
const ADMITTED = `
host all postgres,few 127.0.0.1/32 trust
hostssl all of_tls 127.0.0.1/32 trust
host all ada,nobody 127.0.0.1/32 scram-sha-256
`;
const FEW = 7;
const PASSWORD = 'a password/with@signs';

describe('agent-harbor team with a database', function () {
  this.timeout(120_000);
  const cleanup = new AsyncDisposableStack();
  let postgres: OwnPostgres;
  let url: URL;
  before(async function () {
    const { path: folder } = cleanup.use(await temporaryFolder());
    await chmod(folder, 0o755);
    const file = path.join(folder, 'pg_hba.conf');
    await writeFile(file, ADMITTED);
    postgres = cleanup.use(await requireOwnPostgres(this, ['-c', `hba_file=${file}`]));
    url = new URL(await postgres.createDatabase());
    await administer(
      `create role ada login password '${PASSWORD}'`,
      'create role of_tls login',
      `create role few login connection limit ${FEW}`,
    );
  });
  after(() => cleanup.disposeAsync());

  async function administer(...statements: readonly string[]): Promise<void> {
    const client = new pg.Client(url.href);
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }

  /** The URL of the database, with some parts replaced. */
  function urlOf(other: {
    user?: string;
    password?: string;
    database?: string;
    port?: string;
    search?: string;
  }): string {
    const made = new URL(url);
    made.username = other.user ?? 'ada';
    made.password = encodeURIComponent(other.password ?? PASSWORD);
    made.port = other.port ?? made.port;
    made.pathname = other.database ?? made.pathname;
    made.search = other.search ?? '';
    return made.href;
  }

  /** The last line of the command's output when it cannot use the database. */
  async function refusal(database: string): Promise<string> {
    await using folder = await temporaryFolder();
    const places = [
      '--objects',
      path.join(folder.path, 'objects'),
      '--data-dir',
      path.join(folder.path, 'data'),
    ];
    await mkdir(path.join(folder.path, 'objects'));
    const { code, stderr } = await cli(['team', ...places, '--database', database], {
      environment: {
        AGENT_HARBOR_API_KEY: 'a-key-of-sixteen-and-more',
        AGENT_HARBOR_SECRETS_KEY: 'ab'.repeat(32),
      },
    });
    assert.equal(code, 5, stderr);
    assert.doesNotMatch(stderr, /with@signs|with%40signs/);
    return stderr.trimEnd().split('\n').at(-1) ?? '';
  }

  const says = async (database: string, what: RegExp) => assert.match(await refusal(database), what);

  it('names the right that its user lacks, and statements that grant it', async () => {
    const names: string[] = [];
    const giveNamed = async () => {
      const said = await refusal(urlOf({}));
      const [, statement = ''] = /: (GRANT [^;]+;)$/.exec(said) ?? assert.fail(said);
      names.push(statement);
      await administer(statement);
    };
    await administer('revoke connect on database test_1 from public');
    await giveNamed();
    await giveNamed();
    assert.deepEqual(names, [
      'GRANT CONNECT ON DATABASE test_1 TO ada;',
      'GRANT USAGE, CREATE ON SCHEMA public TO ada;',
    ]);
    await says(
      urlOf({}),
      /User ada cannot create a schema in database test_1\. .*: GRANT CREATE ON DATABASE test_1 TO ada;$/,
    );
  });

  it('says that a user, a password or a database is wrong', async () => {
    await says(urlOf({ password: 'wrong' }), /refuses the password of user ada\. Check both/);
    await says(urlOf({ user: 'nobody', password: 'x' }), /refuses the password of user nobody/);
    await says(urlOf({ password: '' }), /asks user ada for a password, and the URL of the database has none/);
    await says(
      urlOf({ user: 'postgres', database: 'Harbor' }),
      /has no database Harbor\. .*: CREATE DATABASE "Harbor" OWNER postgres;$/,
    );
  });

  it('says that TLS is needed, or that there is none', async () => {
    await says(
      urlOf({ user: 'of_tls' }),
      /does not allow user of_tls to database test_1 without TLS .*sslmode=verify-full/,
    );
    await says(urlOf({ user: 'of_tls', search: 'sslmode=verify-full' }), /has no TLS\. Remove sslmode/);
  });

  /** The URL of a database for a user with a low connection limit. */
  async function databaseOfFew(): Promise<string> {
    const made = new URL(await postgres.createDatabase());
    await administer(`alter database ${made.pathname.slice(1)} owner to few`);
    made.username = 'few';
    return made.href;
  }

  it('says how many connections it needs when there are too few', async () => {
    const database = await databaseOfFew();
    const held = Array.from({ length: FEW }, () => new pg.Client(database));
    for (const client of held) await client.connect();
    try {
      await says(database, /has no connection left for this server .*max_connections to 20 .* of user few/);
    } finally {
      await Promise.all(held.map((client) => client.end()));
    }
  });

  it('says when its servers may need more connections than there are', async () => {
    await using team = await makeTeam(await databaseOfFew());
    await administer('alter role few connection limit 15');
    const { cli: one } = await team.start();
    assert.match(one.stderr, /The database allows 15 connections, and its servers use up to 20, 20 each/);
    await one.interrupt();
    await administer('alter role few connection limit 40');
    const { cli: other } = await team.start();
    assert.doesNotMatch(other.stderr, /The database allows/);
  });

  it('says so when another program has killed its server', async () => {
    await using team = await makeTeam(await postgres.createDatabase());
    const node = await team.start();
    process.kill(node.pid, 'SIGKILL');
    const { code, stderr } = await node.cli.ended();
    assert.equal(code, 1);
    assert.match(
      stderr.trimEnd().split('\n').at(-1) ?? '',
      new RegExp(`The server \\(process ${node.pid}\\) was ended by SIGKILL: .* Start this command again`),
    );
  });
});
