import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type InstallRequest, installOnce } from './cache.ts';

describe('the cache of fetched tools', () => {
  let root: string;
  let installs: number;

  const tool = (overrides: Partial<InstallRequest> = {}): InstallRequest => ({
    name: 'tool',
    versions: { tool: '1.0.0' },
    install: async (folder) => {
      installs += 1;
      await writeFile(path.join(folder, 'tool.txt'), 'it works');
      return { note: 'fine' };
    },
    ...overrides,
  });

  beforeEach(async () => {
    installs = 0;
    root = await mkdtemp(path.join(tmpdir(), 'agent-harbor-cache-'));
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  it('installs a tool once and remembers what the installer noted', async () => {
    const first = await installOnce(tool(), root);
    const second = await installOnce(tool(), root);
    assert.equal(installs, 1);
    assert.deepEqual(second, first);
    assert.deepEqual(first.stamp, { name: 'tool', versions: { tool: '1.0.0' }, notes: { note: 'fine' } });
    assert.equal(await readFile(path.join(first.folder, 'tool.txt'), 'utf8'), 'it works');
  });

  it('keeps another version beside it', async () => {
    const first = await installOnce(tool(), root);
    const second = await installOnce(tool({ versions: { tool: '2.0.0' } }), root);
    assert.equal(installs, 2);
    assert.notEqual(second.folder, first.folder);
    assert.equal((await readdir(root)).length, 2);
  });

  it('leaves nothing behind of an installation that fails, and tries it again', async () => {
    const install = async (folder: string): Promise<never> => {
      await writeFile(path.join(folder, 'half.txt'), '');
      throw new Error('no network');
    };
    await assert.rejects(installOnce(tool({ install }), root), /no network/);
    assert.deepEqual(await readdir(root), []);
    await installOnce(tool(), root);
    assert.equal(installs, 1);
  });

  it('installs a tool once when several callers ask for it at once, and gives each the same folder', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => installOnce(tool(), root)));
    assert.equal(new Set(all.map(({ folder }) => folder)).size, 1);
    assert.equal(installs, 1);
    assert.equal((await readdir(root)).length, 1);
  });

  it('installs once when several processes ask at once', async () => {
    const log = path.join(root, 'installs.log');
    const script = `
      import { appendFile, writeFile } from 'node:fs/promises';
      import { installOnce } from ${JSON.stringify(new URL('cache.ts', import.meta.url))};
      const install = async (folder) => {
        await appendFile(${JSON.stringify(log)}, process.pid + ' ');
        for (let n = 0; n < 50; n++) await writeFile(folder + '/' + n, String(process.pid));
        return {};
      };
      const { folder } = await installOnce({ name: 'tool', versions: { tool: '1' }, install }, ${JSON.stringify(root)});
      console.log(folder);`;
    const outputs = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const child = spawn(process.execPath, ['--input-type=module', '--eval', script]);
        let output = '';
        child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
        const [code] = await once(child, 'close');
        assert.equal(code, 0);
        return output.trim();
      }),
    );
    assert.equal(new Set(outputs).size, 1);
    assert.match(await readFile(log, 'utf8'), /^\d+ $/);
    assert.deepEqual((await readdir(root)).toSorted(), ['installs.log', path.basename(outputs[0] ?? '')]);
    const writers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => readFile(path.join(outputs[0] ?? '', String(n)), 'utf8')),
    );
    assert.equal(new Set(writers).size, 1, 'all of it is of one process');
  });

  it('repairs a folder that has lost its stamp', async () => {
    const { folder } = await installOnce(tool(), root);
    await rm(path.join(folder, 'stamp.json'));
    await rm(path.join(folder, 'tool.txt'));
    await installOnce(tool(), root);
    assert.equal(await readFile(path.join(folder, 'tool.txt'), 'utf8'), 'it works');
  });

  it('removes what a killed installation has left behind, but not one that is under way', async () => {
    const [old, young] = ['.installing-tool-old', '.installing-tool-young'];
    await installOnce(tool({ name: old }), root);
    await installOnce(tool({ name: young }), root);
    const [oldFolder = '', youngFolder = ''] = (await readdir(root)).toSorted();
    const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
    await utimes(path.join(root, oldFolder), longAgo, longAgo);
    await installOnce(tool(), root);
    const left = await readdir(root);
    assert.ok(!left.includes(oldFolder));
    assert.ok(left.includes(youngFolder));
  });
});
