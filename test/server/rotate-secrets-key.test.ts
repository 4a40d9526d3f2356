import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { associatedData } from '../../src/server/control-plane/secrets/associated-data.ts';
import { openFolderBox } from '../../src/server/control-plane/secrets/folder-key.ts';
import { SEALED_TABLES } from '../../src/server/control-plane/secrets/sealed-tables.ts';
import { SecretBox } from '../../src/server/control-plane/secrets/secret-box.ts';
import { cli } from '../support/cli.ts';
import { type ServerProcess, serverProcess } from '../support/control-plane/server-process.ts';
import { type Postgres, requirePostgres } from '../support/postgres.ts';
import { platformTeam } from '../support/team-platform.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PASSWORD = 'correct-horse-battery-1';
const MODEL_KEY = 'another-horse-battery-2';

type Rows = (sql: string) => Promise<Record<string, unknown>[]>;

/** Gives a server secrets of two kinds. */
async function fill(server: ServerProcess, send: ServerProcess['fetch']): Promise<void> {
  const secrets = [{ name: 'PASSWORD', value: PASSWORD }];
  const made = await send('/v2/deployments', {
    method: 'POST',
    body: {
      name: 'with-secrets',
      source: 'internal_source',
      source_config: {},
      source_revision_config: {},
      secrets,
    },
  });
  assert.equal(made.status, 201, await made.text());
  const body = [{ key: 'MODEL_KEY', value: MODEL_KEY }];
  const stored = await send('/workspaces/current/secrets', { method: 'POST', body });
  assert.ok(stored.ok, await stored.text());
  assert.ok(server.pid > 0);
}

/** A secret of the only workspace, encrypted with a key. */
async function lateSecret(client: pg.Client, key: Buffer) {
  const { rows } = await client.query("select workspace_id from workspace_secrets where key = 'BEFORE'");
  const workspace = String(rows[0]?.workspace_id);
  const place = associatedData.workspaceSecret(workspace, 'BEFORE');
  return { workspace, workspaceSecret: Buffer.from(SecretBox.ofKey(key).seal('stored-late', place)) };
}

/** All encrypted values in plain text; undefined for one that the key cannot decrypt. */
async function readAll(box: SecretBox, rows: Rows): Promise<(string | undefined)[]> {
  const found: (string | undefined)[] = [];
  for (const [table, { columns }] of Object.entries(SEALED_TABLES))
    for (const row of await rows(`select * from ${table}`))
      for (const [column, place] of Object.entries(columns)) {
        const value = row[column];
        if (!(value instanceof Uint8Array)) continue;
        try {
          found.push(box.open(value, place(row)));
        } catch {
          found.push(undefined);
        }
      }
  return found.toSorted();
}

describe('agent-harbor rotate-secrets-key', function () {
  this.timeout(180_000);

  describe('of a data folder', () => {
    let server: ServerProcess;
    before(async () => {
      server = await serverProcess();
      await fill(server, server.fetch);
    });
    after(() => server?.[Symbol.asyncDispose]());

    const key = () => readFile(path.join(server.dataDir, 'secrets.key'), 'utf8');
    const hasNext = () => existsSync(path.join(server.dataDir, 'secrets.key.next'));
    const rotate = (environment: Readonly<Record<string, string>> = {}) =>
      cli(['rotate-secrets-key', '--data-dir', server.dataDir], { environment });
    const secrets = async () => {
      const state = new DatabaseSync(path.join(server.dataDir, 'state.db'), { readOnly: true });
      try {
        return await readAll(await openFolderBox(server.dataDir), async (sql) => state.prepare(sql).all());
      } finally {
        state.close();
      }
    };

    it('is refused while a server uses it', async () => {
      const { code, stderr } = await rotate();
      assert.notEqual(code, 0);
      assert.match(stderr, /Another server is using the data folder/);
      await server.stop();
    });

    it('encrypts every secret with a new key, and nothing with the previous one', async () => {
      const all = await secrets();
      assert.ok(all.some((text) => text?.includes(PASSWORD)) && all.includes(MODEL_KEY), String(all));
      const [before, box] = [await key(), await openFolderBox(server.dataDir)];
      const { code, stdout, stderr } = await rotate();
      assert.equal(code, 0, stderr);
      assert.match(
        stdout,
        new RegExp(`^${all.length} secrets encrypted with a new key, which is in .*earlier key`),
      );
      assert.notEqual(await key(), before);
      assert.deepEqual(await secrets(), all);
      const state = new DatabaseSync(path.join(server.dataDir, 'state.db'), { readOnly: true });
      const opened = await readAll(box, async (sql) => state.prepare(sql).all());
      state.close();
      assert.deepEqual(new Set(opened), new Set([undefined]));
    });

    for (const [at, isDone] of [
      ['key-made', false],
      ['key-stored', true],
    ] as const) {
      it(`is done completely or not at all when it is killed (${at})`, async () => {
        const [all, before] = [await secrets(), await key()];
        const killed = await rotate({ AGENT_HARBOR_CRASH_AT: at });
        // Windows does not report what ended a process.
        if (process.platform === 'win32') assert.equal(killed.code, 1);
        else
          assert.match(killed.stderr, /ended by SIGKILL.* Either all secrets have the new key, or none\./s);
        assert.ok(hasNext());
        await server.start();
        await server.stop();
        assert.ok(!hasNext());
        assert.equal((await key()) !== before, isDone);
        assert.deepEqual(await secrets(), all);
      });
    }

    it('discards a new key that was not written completely', async () => {
      const [all, before] = [await secrets(), await key()];
      await writeFile(path.join(server.dataDir, 'secrets.key.next'), 'AAA');
      const { code } = await rotate();
      assert.equal(code, 0);
      assert.ok(!hasNext());
      assert.notEqual(await key(), before);
      assert.deepEqual(await secrets(), all);
    });
  });

  describe('of a team', () => {
    let postgres: Postgres;
    before(async function () {
      postgres = await requirePostgres(this);
    });
    after(() => postgres?.[Symbol.asyncDispose]());

    it('replaces the secrets key, unless a server without both keys uses the database', async () => {
      await using objects = await temporaryFolder();
      await using folder = await temporaryFolder();
      const database = await postgres.createDatabase();
      const team = platformTeam({ database, objects: objects.path });
      const next = 'cd'.repeat(32);
      const file = path.join(folder.path, 'next');
      await writeFile(file, `${next}\n`);
      const rotate = (environment: Readonly<Record<string, string>> = {}) =>
        cli(['rotate-secrets-key', '--team'], {
          environment: {
            DATABASE_URL: database,
            AGENT_HARBOR_SECRETS_KEY: team.secretsKey,
            AGENT_HARBOR_NEW_SECRETS_KEY_FILE: file,
            ...environment,
          },
        });
      const secrets = async (text: string) => {
        const client = new pg.Client({ connectionString: database });
        await client.connect();
        try {
          const box = SecretBox.ofKey(Buffer.from(text, 'hex'));
          return await readAll(box, async (sql) => (await client.query(sql)).rows);
        } finally {
          await client.end();
        }
      };

      {
        await using node = await team.start();
        await fill(node.process, (route, { body, ...init } = {}) =>
          fetch(node.url + route, {
            ...init,
            headers: { 'x-api-key': team.key, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          }),
        );
        assert.match(
          (await rotate()).stderr,
          /1 of the 1 server that use this database does not have the new key\. Restart them one by one/,
        );
      }
      const all = await secrets(team.secretsKey);
      assert.ok(all.includes(MODEL_KEY), String(all));
      const strange = await rotate({ AGENT_HARBOR_SECRETS_KEY: 'ef'.repeat(32) });
      assert.match(strange.stderr, /AGENT_HARBOR_SECRETS_KEY is not the key that encrypts/);
      const killed = await rotate({ AGENT_HARBOR_CRASH_AT: 'key-stored' });
      assert.match(killed.stderr, /run the same command again/);
      assert.deepEqual(await secrets(team.secretsKey), all);
      const { code, stdout, stderr } = await rotate();
      assert.equal(code, 0, stderr);
      assert.match(
        stdout,
        new RegExp(`^${all.length} secrets encrypted with the new key\\.\nStart the servers`),
      );
      assert.deepEqual(await secrets(next), all);
      assert.deepEqual(new Set(await secrets(team.secretsKey)), new Set([undefined]));
      assert.match(
        (await rotate()).stdout,
        /^All secrets are encrypted with AGENT_HARBOR_NEW_SECRETS_KEY already\./,
      );
      await assert.rejects(
        team.start(),
        /AGENT_HARBOR_SECRETS_KEY is not the key that encrypts the secrets in this database/,
      );

      // Now while servers with both keys are running.
      const third = 'ab'.repeat(32);
      await writeFile(file, third);
      const both = { AGENT_HARBOR_SECRETS_KEY: next, AGENT_HARBOR_NEW_SECRETS_KEY: third };
      await using one = await team.start(both);
      await using other = await team.start(both);
      const setAt = async (node: typeof one, key: string, value: string) => {
        const answer = await fetch(`${node.url}/workspaces/current/secrets`, {
          method: 'POST',
          headers: { 'x-api-key': team.key, 'content-type': 'application/json' },
          body: JSON.stringify([{ key, value }]),
        });
        assert.ok(answer.ok, await answer.text());
      };
      await setAt(one, 'BEFORE', 'stored-before');
      assert.ok((await secrets(next)).includes('stored-before'), 'the current key is used until then');
      const online = () => rotate({ AGENT_HARBOR_SECRETS_KEY: next });
      const cutOff = await rotate({ AGENT_HARBOR_SECRETS_KEY: next, AGENT_HARBOR_CRASH_AT: 'key-used' });
      // The server that could not start is not counted.
      assert.match(cutOff.stderr, /Keep both keys on all running servers/);
      await setAt(other, 'AFTER', 'stored-after');
      assert.ok((await secrets(third)).includes('stored-after'));
      await assert.rejects(
        team.start({ AGENT_HARBOR_SECRETS_KEY: third }),
        /The secrets key is being changed, and secrets may still be encrypted with the previous one/,
      );
      // Stores a secret as a server would that encrypted it just before.
      const client = new pg.Client({ connectionString: database });
      await client.connect();
      const { workspaceSecret, workspace } = await lateSecret(client, Buffer.from(next, 'hex'));
      await client.query('update workspace_secrets set sealed = $1 where workspace_id = $2 and key = $3', [
        workspaceSecret,
        workspace,
        'BEFORE',
      ]);
      const ended = await online();
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(
        ended.stdout,
        /^2 servers encrypt with the new key\.\n1 secret encrypted with the new key\.\nNothing needs the earlier key but earlier backups\./,
      );
      assert.ok(!`${ended.stdout}${ended.stderr}`.includes(third.slice(0, 16)));
      assert.deepEqual(await secrets(third), [...all, 'stored-after', 'stored-late'].toSorted());
      const { rows } = await client.query(
        "select actor from audit_events where action = 'secrets-key.rotate'",
      );
      assert.deepEqual(rows, [{ actor: 'server' }, { actor: 'server' }]);
      await client.end();
      await using alone = await team.start({ AGENT_HARBOR_SECRETS_KEY: third });
      assert.ok((await fetch(`${alone.url}/ok`)).ok);
    });
  });
});
