import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, rename, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openSqlite } from '../../src/server/storage/open-sqlite.ts';
import { serverProcess } from '../support/control-plane/server-process.ts';
import { bundle } from '../support/dist.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { patience } from '../support/wait.ts';

const DATA_FOLDER_PROBLEM = 5;

/** Leaves a database whose write-ahead log is lost before any of it was merged. */
async function loseTables(file: string): Promise<void> {
  await rm(file);
  openSqlite(file).close();
}

describe('a data folder that has been used', function () {
  this.timeout(120_000);
  let used: Awaited<ReturnType<typeof temporaryFolder>>;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const at = (name: string) => path.join(folder.path, name);

  before(async () => {
    used = await temporaryFolder();
    await using server = await serverProcess();
    const made = await server.fetch('/sessions', { method: 'POST', body: { name: 'kept' } });
    assert.equal(made.status, 200);
    await server.stop();
    await cp(server.dataDir, used.path, { recursive: true });
  });
  after(() => used?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    folder = await temporaryFolder();
    await cp(used.path, folder.path, { recursive: true });
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  /** Starts a server that must not start successfully. @returns its message */
  function refusal(): string {
    const { status, stderr } = spawnSync(
      process.execPath,
      [bundle('server.js'), '--data-dir', folder.path, '--log-level', 'silent'],
      { encoding: 'utf8', timeout: 30_000 * patience },
    );
    assert.equal(status, DATA_FOLDER_PROBLEM, stderr);
    const [sentence, ...more] = stderr.trim().split('\n');
    assert.deepEqual(more, []);
    return sentence ?? '';
  }

  /** Starts a server, and reads the names of its tracing projects. */
  async function projects(): Promise<string[]> {
    const dataDir = folder.path;
    await using server = await serverProcess({ dataDir });
    const listed = (await (await server.fetch('/sessions')).json()) as { name: string }[];
    await server.stop();
    return listed.map(({ name }) => name);
  }

  for (const [how, lose] of [
    ['missing', (file: string) => rm(file)],
    ['empty', (file: string) => truncate(file)],
    ['empty', loseTables],
  ] as const)
    for (const name of ['state.db', 'traces.db']) {
      it(`is refused when its ${name} is ${how} (${lose.name || 'as a file'}), and nothing takes its place`, async () => {
        await lose(at(name));
        const before = await readdir(folder.path);
        const sentence = refusal();
        assert.ok(sentence.startsWith(`${at(name)} is ${how}, although this data folder`), sentence);
        assert.match(
          sentence,
          /Replace (state|traces)\.db and all files whose names start with it with those of a copy/,
        );
        assert.equal(refusal(), sentence);
        assert.equal((await readdir(folder.path)).includes(name), before.includes(name));
        await cp(path.join(used.path, name), at(name));
        assert.ok((await projects()).includes('kept'));
      });
    }

  it('starts without traces when the files that the message names were moved away', async () => {
    await rm(at('traces.db'));
    assert.match(refusal(), /move has-traces, blobs and all files whose names start with traces\.db away/);
    await rm(at('has-traces'));
    await rm(at('blobs'), { recursive: true });
    assert.deepEqual(
      (await projects()).filter((name) => name === 'kept'),
      [],
    );
  });

  it('starts empty when everything was moved away', async () => {
    await rm(at('state.db'));
    assert.ok(refusal().endsWith(`move everything in ${folder.path} away to start with nothing.`));
    await using elsewhere = await temporaryFolder();
    for (const name of await readdir(folder.path)) await rename(at(name), path.join(elsewhere.path, name));
    assert.deepEqual(
      (await projects()).filter((name) => name === 'kept'),
      [],
    );
  });

  it('names a copy of a damaged database only when there is one', async () => {
    await writeFile(at('state.db'), 'no database '.repeat(1_000));
    assert.match(refusal(), /Replace it with a copy, or move everything in /);
    await mkdir(at('backups'));
    const copies = ['state.before-0009-a.db', 'state.before-0010-b.db', 'traces.before-0011-c.db'];
    for (const copy of copies) await writeFile(path.join(at('backups'), copy), '');
    const newest = path.join(at('backups'), 'state.before-0010-b.db');
    assert.ok(refusal().includes(`Replace it with a copy (${newest} is one from before an update), or`));
  });

  it('says of a damaged lock that it holds no data', async () => {
    await writeFile(at('server.lock'), 'no database '.repeat(1_000));
    assert.equal(
      refusal(),
      `${at('server.lock')} is damaged. It contains no data: delete it and start again.`,
    );
  });

  it('is refused with the exit code of a data folder when its key of secrets is damaged', async () => {
    await writeFile(at('secrets.key'), 'short');
    assert.equal(
      refusal(),
      `${at('secrets.key')} is damaged. Restore it, or delete it and set all secrets again.`,
    );
  });

  it('is refused as written by a newer build, not a newer version, if the version is the same', () => {
    const database = openSqlite(at('state.db'));
    database.exec("INSERT INTO migrations VALUES ('9999-of-the-future', '')");
    database.close();
    const sentence = refusal();
    assert.match(sentence, /^state\.db was written by a newer build of Agent Harbor and cannot be read by/);
    assert.doesNotMatch(sentence, /backups/);
  });
});
