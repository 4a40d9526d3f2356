import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { nodeInstallChoices } from '../../../../src/server/runtimes/node/node-install.ts';
import { commandLine } from '../../../../src/server/runtimes/python/python-install.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const failed = (message: string) => ({
  status: 'failed' as const,
  graph_id: 'agent',
  error: { name: 'GraphLoadError', message },
});
const lacking = (name: string) =>
  failed(`/a/graph.ts could not be loaded: Cannot find package '${name}' imported from /a/graph.ts`);

describe('missing packages of Node graphs', () => {
  let folder: string;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeEach(async () => {
    temporary = await temporaryFolder();
    folder = path.join(temporary.path, 'packages', 'agent');
    await mkdir(folder, { recursive: true });
    await mkdir(path.join(temporary.path, '.git'));
  });
  afterEach(() => temporary[Symbol.asyncDispose]());

  const write = (name: string, content: object | string = '', ...way: string[]) =>
    writeFile(
      path.join(folder, ...way, name),
      typeof content === 'string' ? content : JSON.stringify(content),
    );
  const lines = async (...graphs: ReturnType<typeof failed>[]) =>
    (await nodeInstallChoices(folder, graphs)).map((choice) => commandLine(choice));

  it('are installed by npm by default', async () => {
    await write('package.json', { dependencies: { '@langchain/core': '1' } });
    assert.deepEqual(await lines(lacking('@langchain/core/messages')), ['npm install']);
  });

  for (const [lockfile, tool] of [
    ['package-lock.json', 'npm'],
    ['pnpm-lock.yaml', 'pnpm'],
    ['yarn.lock', 'yarn'],
    ['bun.lock', 'bun'],
    ['bun.lockb', 'bun'],
  ] as const) {
    it(`are installed by ${tool} with a ${lockfile} in or above the project`, async () => {
      await write('package.json', { dependencies: { zod: '4' } });
      await write('package.json', {}, '..', '..');
      await write(lockfile, '', '..', '..');
      assert.deepEqual(await lines(lacking('zod')), [`${tool} install`]);
    });
  }

  it('are installed by the package manager in package.json when there is no lockfile', async () => {
    await write('package.json', { packageManager: 'pnpm@10.1.0', dependencies: { zod: '4' } });
    assert.deepEqual(await lines(lacking('zod')), ['pnpm install']);
  });

  it('may be declared by the workspace above the project', async () => {
    await write('package.json', {});
    await write('package.json', { devDependencies: { zod: '4' } }, '..', '..');
    assert.deepEqual(await lines(lacking('zod')), ['npm install']);
  });

  it('are not installed when they are not declared, or are files', async () => {
    await write('package.json', { dependencies: { zod: '4' } });
    assert.deepEqual(await lines(lacking('zood')), []);
    assert.deepEqual(await lines(lacking('/a/gone.js'), failed('No key given')), []);
  });

  it('include LangGraph itself in a folder without package.json', async () => {
    assert.deepEqual(await lines(lacking('@langchain/langgraph')), [
      'npm install @langchain/langgraph @langchain/core',
    ]);
    assert.deepEqual(await lines(lacking('zod')), []);
  });
});
