import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { TRACES_SCHEMA } from '../../src/server/team/traces/traces-tables.ts';
import { type ServerProcess, serverProcess } from '../support/control-plane/server-process.ts';
import { requireOwnPostgres } from '../support/postgres.ts';
import { type PlatformNode, platformTeam } from '../support/team-platform.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { wordsInFiles, wordsInPostgres, wordsInTraces } from './purge-remains.ts';
import { type Ground, KINDS, PurgeRound } from './purge-round.ts';
import { random } from './random.ts';

/** `npm run soak` sets more. */
const ROUNDS = Number(process.env.PURGE_ROUNDS ?? KINDS.length);
const TEAM_ROUNDS = Number(process.env.PURGE_TEAM_ROUNDS ?? KINDS.length);
const SEED = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Lets traces and waiting data expire. `$` is the id of a workspace. */
const EXPIRE = (schema: string, placeholder: string) =>
  (['traces SET expires_at', 'early_spans SET received_at', 'early_patches SET received_at'] as const).map(
    (what) =>
      `UPDATE ${schema}${what} = 1 WHERE workspace = (SELECT key FROM ${schema}workspaces WHERE id = ${placeholder})`,
  );

describe(`purges while spans arrive, wait and are late (seed ${SEED})`, function () {
  this.timeout(300_000 + (ROUNDS + TEAM_ROUNDS) * 120_000);

  it(`leave nothing in a data folder, in ${ROUNDS} rounds`, async () => {
    await using server = await serverProcess();
    await play(ROUNDS, inFolder(server));
  });

  it(`leave nothing in PostgreSQL and an object store, in ${TEAM_ROUNDS} rounds`, async function () {
    await using postgres = await requireOwnPostgres(this, [
      '-c',
      'wal_recycle=off',
      '-c',
      'min_wal_size=32MB',
    ]);
    await using folder = await temporaryFolder();
    const objects = path.join(folder.path, 'objects');
    const database = await postgres.createDatabase();
    const team = platformTeam({ database, objects });
    let node: PlatformNode = await team.start();
    const ground: Ground = {
      url: () => node.url,
      key: () => team.key,
      expire: async (workspaceId) => {
        await ask(database, EXPIRE(`${TRACES_SCHEMA}.`, '$1'), [workspaceId]);
        await node[Symbol.asyncDispose]();
        node = await team.start();
      },
      maintain: () => ask(database, ['ANALYZE']),
      remains: async (words) => ({
        ...(await wordsInPostgres(database, words)),
        ...wordsInFiles(folder.path, words),
        ...wordsInFiles(node.process.dataDir, words),
      }),
    };
    try {
      const planted = await play(TEAM_ROUNDS, ground);
      await eraseFreeSpace(database);
      assert.deepEqual(wordsInFiles(postgres.folder, planted), {}, 'no bytes are left in its files');
    } finally {
      await node[Symbol.asyncDispose]();
    }
  });
});

function inFolder(server: ServerProcess): Ground {
  return {
    url: () => server.baseUrl,
    key: () => server.apiKey,
    expire: async (workspaceId) => {
      const database = new DatabaseSync(path.join(server.dataDir, 'traces.db'), { timeout: 10_000 });
      for (const sql of EXPIRE('', '?')) database.prepare(sql).run(workspaceId);
      database.close();
      await server.stop();
      await server.start();
    },
    remains: async (words) => ({
      ...wordsInTraces(server.dataDir, words),
      ...wordsInFiles(server.dataDir, words),
    }),
  };
}

/** Runs rounds of purges. @returns all words that were planted */
async function play(rounds: number, ground: Ground): Promise<string[]> {
  const draw = random(SEED);
  const planted: string[] = [];
  for (let at = 0; at < rounds; at++) {
    const kind = KINDS[at % KINDS.length] ?? 'id';
    const round = new PurgeRound(ground, kind, draw);
    planted.push(...round.planted);
    await round.play();
    console.log(`      round ${at + 1}, by ${kind}: ${round.accepted} accepted, ${round.refused} refused`);
  }
  return planted;
}

async function ask(
  database: string,
  statements: readonly string[],
  values: readonly string[] = [],
): Promise<void> {
  const client = new pg.Client(database);
  await client.connect();
  try {
    for (const sql of statements) await client.query(sql, [...values]);
  } finally {
    await client.end();
  }
}

/** Erases deleted data from free space, as docs/purging.md tells operators to. */
async function eraseFreeSpace(database: string): Promise<void> {
  await ask(database, ['VACUUM FULL', 'SELECT pg_switch_wal()', 'CHECKPOINT', 'CHECKPOINT']);
}
