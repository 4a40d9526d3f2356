import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { StaticSchemas } from '../../../../src/runtime/node/schemas/static-schemas.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('schemas from types', () => {
  for (const [how, source, reason] of [
    ['fails', "throw new Error('cannot parse tsconfig.json');", 'cannot parse tsconfig.json'],
    ['ends', 'process.exit(3);', 'the compiler ended with code 3'],
  ] as const) {
    it(`are missing if the compiler ${how}, and the log says why, once`, async () => {
      await using folder = await temporaryFolder();
      const compiler = path.join(folder.path, 'node_modules', 'typescript');
      await mkdir(compiler, { recursive: true });
      await writeFile(
        path.join(compiler, 'package.json'),
        JSON.stringify({ version: '5.9.0', main: 'index.js' }),
      );
      await writeFile(path.join(compiler, 'index.js'), source);
      const entry = { file: path.join(folder.path, 'agent.ts'), exportName: 'graph' };
      const notes: string[] = [];
      const schemas = new StaticSchemas(
        () => new Map([['agent', entry]]),
        (message) => notes.push(message),
      );
      assert.equal(await schemas.of('agent'), undefined);
      assert.equal(await schemas.of('agent'), undefined);
      assert.deepEqual(notes, [
        `Cannot read the types of graphs in ${folder.path}: ${reason}. Graphs without zod schemas accept any input.`,
      ]);
    });
  }
});
