import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { z } from 'zod';
import { patience } from '../support/wait.ts';

const root = join(import.meta.dirname, '../..');

/** Built like the extension's bundle, because the globals of the extension host must not change. */
async function bundle(folder: string): Promise<string> {
  const outfile = join(folder, 'client.cjs');
  await build({
    stdin: {
      contents: `
        export { Client } from './src/client/client.ts';
        export { createDispatcher } from './src/client/dispatcher.ts';
      `,
      resolveDir: root,
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile,
  });
  return outfile;
}

describe('every bundle that runs in the extension host', () => {
  it('contains no module of undici that changes the global scope', async () => {
    const Bundles = z.record(z.string(), z.object({ inputs: z.array(z.string()) }));
    const bundles = Bundles.parse(JSON.parse(await readFile(join(root, 'dist/bundles.json'), 'utf8')));
    const ours = Object.entries(bundles).filter(([file]) => /extension[^/]*\.cjs$/.test(file));
    assert.ok(ours.length > 0, 'the extension is built');
    for (const [file, { inputs }] of ours) {
      const touching = inputs.filter((input) => /undici\/(index|lib\/global)\.js$/.test(input));
      assert.deepEqual(touching, [], file);
    }
  });
});

describe('the bundled client', function () {
  this.timeout(30_000);
  let folder: string;
  let file: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'harbor-client-'));
    file = await bundle(folder);
  });
  after(() => rm(folder, { recursive: true }));

  async function run(script: string): Promise<string> {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, file], {
      timeout: 20_000 * patience,
    });
    return stdout.trim();
  }

  it('does not change the global dispatcher of its host', async () => {
    const symbols = ['undici.globalDispatcher.1', 'undici.globalDispatcher.2'];
    const script = (prepare: string) => `
      const symbols = ${JSON.stringify(symbols)}.map((name) => Symbol.for(name));
      ${prepare}
      const before = symbols.map((symbol) => globalThis[symbol]);
      const { Client, createDispatcher } = require(process.argv[1]);
      const dispatcher = createDispatcher();
      const url = 'http://127.0.0.1:9';
      const connection = { baseUrl: url, controlPlaneUrl: url, credentials: {} };
      const client = new Client({ connection, dispatcher, retries: 0 });
      client.deployments.list().catch(() => {}).then(() => {
        console.log(JSON.stringify(symbols.map((symbol, i) => globalThis[symbol] === before[i])));
        return dispatcher.close();
      });
    `;
    assert.equal(await run(script('')), '[true,true]');
    assert.equal(
      await run(script('for (const symbol of symbols) globalThis[symbol] = { dispatch() {} };')),
      '[true,true]',
    );
    // Globals that the host's own fetch sets are not ours.
    assert.equal(await run(script("fetch('http://127.0.0.1:9').catch(() => {});")), '[true,true]');
  });

  it('adds nothing to the global scope except zod’s registry', async () => {
    const added = await run(`
      const before = new Set(Reflect.ownKeys(globalThis));
      require(process.argv[1]);
      console.log(JSON.stringify(Reflect.ownKeys(globalThis).filter((key) => !before.has(key)).map(String)));
    `);
    assert.deepEqual(
      JSON.parse(added).filter((name: string) => !name.startsWith('__zod_')),
      [],
    );
  });
});
