import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { openServerLog } from '../../src/launcher/server-log.ts';
import { isTrusted } from '../../src/process/foreign-folder.ts';
import { DataFolder, DataFolderLockedError } from '../../src/server/data-folder.ts';
import { DataFolderError } from '../../src/server/storage/data-folder-error.ts';
import { openStateDatabase } from '../../src/server/storage/sqlite-state.ts';
import { skip } from '../support/skip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/wait.ts';

describe('a data folder', () => {
  it('belongs to one server at a time', async () => {
    await using folder = await temporaryFolder();
    const first = await DataFolder.open(folder.path);
    await assert.rejects(DataFolder.open(folder.path), (error) => {
      assert.ok(error instanceof DataFolderLockedError);
      assert.match(error.message, /Stop it first, or choose another folder with --data-dir\.$/);
      return true;
    });
    first.close();
    (await DataFolder.open(folder.path)).close();
  });

  it('that cannot be created is refused with its path and a way out', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'file');
    await writeFile(file, '');
    await assert.rejects(DataFolder.open(path.join(file, 'inside')), (error) => {
      assert.ok(error instanceof DataFolderError);
      assert.match(error.message, /--data-dir/);
      return true;
    });
  });

  it('of another user is refused with the name of its owner, and nothing is written to it', async function () {
    if (process.getuid?.() !== 0) skip(this, 'only root can give a folder away');
    await using folder = await temporaryFolder();
    await chown(folder.path, 1234, 1234);
    await assert.rejects(DataFolder.open(folder.path), (error) => {
      assert.ok(error instanceof DataFolderError);
      assert.match(error.message, /belongs to another user \(uid 1234\).*--data-dir.*chown\.$/);
      return true;
    });
    await assert.rejects(openServerLog(folder.path), /belongs to another user \(uid 1234\)/);
    assert.deepEqual(await readdir(folder.path), []);
  });

  it('is accepted from its owner, or from root, who can read everything anyway', () => {
    assert.deepEqual(
      [isTrusted(1000, 1000), isTrusted(0, 1000), isTrusted(0, 0), isTrusted(1001, 1000), isTrusted(1000, 0)],
      [true, true, true, false, false],
    );
  });

  it('has its keys in new files, and never writes them through a link', async function () {
    if (process.platform === 'win32') skip(this, 'links need rights there');
    await using folder = await temporaryFolder();
    await using outside = await temporaryFolder();
    const data = await DataFolder.open(folder.path);
    const [loot, link] = [path.join(outside.path, 'loot'), path.join(folder.path, 'credentials.json.new')];
    const script = `
      const { symlinkSync } = require('node:fs');
      process.send('begun');
      for (;;) try { symlinkSync(${JSON.stringify(loot)}, ${JSON.stringify(link)}); } catch {}`;
    const attacker = spawn(process.execPath, ['-e', script], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    try {
      await once(attacker, 'message');
      let written = 0;
      for (let round = 0; round < 300; round++)
        await data.keepKeys({ api_key: `key-${round}` }).then(
          () => written++,
          (error: NodeJS.ErrnoException) => assert.equal(error.code, 'EEXIST'),
        );
      assert.ok(!existsSync(loot), 'the key is nowhere else');
      assert.ok(written === 0 || /^key-/.test((await data.readPreviousKeys()).api_key ?? ''));
    } finally {
      attacker.kill('SIGKILL');
      data.close();
    }
  });

  it('may get a database later, and notices the loss of it from then on', async function () {
    if (process.platform === 'win32') skip(this, 'Windows removes nothing that is open');
    await using folder = await temporaryFolder();
    const traces = path.join(folder.path, 'traces.db');
    const data = await DataFolder.open(folder.path);
    const gone: string[] = [];
    await data.watch((error) => void gone.push(error.message));
    try {
      await writeFile(traces, '');
      // The folder is checked once a second.
      await delay(2_500);
      assert.deepEqual(gone, []);
      await rm(traces);
      await eventually('the loss is noticed', () => gone.length === 1);
    } finally {
      data.close();
    }
  });

  for (const [what, damage] of [
    ['is damaged', (file: string) => writeFile(file, 'no database at all '.repeat(100))],
    ['is a folder', (file: string) => mkdir(file)],
  ] as const) {
    it(`whose lock ${what} is not reported as in use by another server`, async () => {
      await using folder = await temporaryFolder();
      const file = path.join(folder.path, 'server.lock');
      await damage(file);
      await assert.rejects(DataFolder.open(folder.path), (error) => {
        assert.ok(error instanceof DataFolderError);
        assert.ok(error.message.startsWith(file), error.message);
        return true;
      });
      assert.ok(await stat(file), 'nothing is thrown away without being asked');
    });
  }

  it('that others can read is made private, like new files in it, and the log says so', async function () {
    if (process.platform === 'win32') skip(this, 'Windows has no file modes');
    await using folder = await temporaryFolder();
    await chmod(folder.path, 0o755);
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const data = await DataFolder.open(folder.path);
    await data.makePrivate(logger);
    await data.makePrivate(logger);
    assert.equal((await stat(folder.path)).mode & 0o777, 0o700);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /the data folder was readable by other users/);
    const db = await openStateDatabase(folder.path);
    for (const name of ['state.db', 'state.db-wal', 'state.db-shm']) {
      assert.equal((await stat(path.join(folder.path, name))).mode & 0o777, 0o600, name);
    }
    await db.destroy();
    data.close();
  });

  it('announces its server in a file that only its owner can read', async function () {
    if (process.platform === 'win32') skip(this, 'Windows has no file modes');
    await using folder = await temporaryFolder();
    const data = await DataFolder.open(folder.path);
    await data.announce({
      base_url: 'http://127.0.0.1:1',
      api_key: 'k',
      pid: 1,
      version: '0',
      harbor_protocol: 1,
      started_at: new Date().toISOString(),
    });
    assert.equal((await stat(path.join(folder.path, 'server.json'))).mode & 0o777, 0o600);
    await data.withdraw();
    await assert.rejects(stat(path.join(folder.path, 'server.json')));
    data.close();
  });
});
