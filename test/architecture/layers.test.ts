import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';

const root = path.resolve(import.meta.dirname, '../..');
const biome = path.join(root, 'node_modules/@biomejs/biome/bin/biome');

const Report = z.object({
  diagnostics: z.array(
    z.object({ category: z.string(), message: z.string(), location: z.object({ path: z.string() }) }),
  ),
});

/**
 * The files of a project with our rules and nothing else, and whether the linter must refuse their import.
 */
const REFUSED = {
  'src/contract/planted.ts': '../replay/run-file.ts',
  'src/contract/tracing/planted.ts': '../../replay/run-file.ts',
  'src/terms/planted.ts': '../client/client.ts',
  'src/client/planted.ts': 'vscode',
  'src/images/planted.ts': '../server/main.ts',
  'src/cli/commands/datasets/planted.ts': '../../../server/main.ts',
  'src/webviews/run/planted.ts': '../../client/client.ts',
  'src/server/http/planted.ts': '../../run-files/replace-file.ts',
  'src/server/tracing/query/planted.ts': '../../purging/purger.ts',
  'src/server/storage/migrations/planted.ts': '../../http/errors.ts',
};
const ALLOWED = {
  'src/contract/tracing/planted.ts': '../fields.ts',
  'src/cli/evaluation/planted.ts': '../../evaluation/outcome.ts',
  'src/webviews/run/planted.ts': '../../terms/times.ts',
  'src/server/purging/planted.ts': '../tracing/query/planted.ts',
  'src/server/control-plane/builds/planted.ts': '../images/image-listeners.ts',
  'src/server/tracing/planted.ts': '../logger.ts',
};

/** The findings of the linter in files with these imports. */
function lint(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(path.join(tmpdir(), 'layers-'));
  try {
    for (const name of ['biome.json', 'lint', '.gitignore'])
      cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
    for (const [file, imported] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), `import '${imported}';\n`);
    }
    const { stdout, stderr } = spawnSync(process.execPath, [biome, 'lint', '--reporter=json', 'src'], {
      cwd: folder,
      encoding: 'utf8',
    });
    assert.ok(stdout.startsWith('{'), stderr);
    return Report.parse(JSON.parse(stdout)).diagnostics;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('imports across layers', () => {
  it('are refused unless lint/layers.json allows them', () => {
    const refused = lint(REFUSED).filter(({ category }) => category === 'lint/style/noRestrictedImports');
    assert.deepEqual(
      refused.map(({ location }) => location.path.replaceAll('\\', '/')).toSorted(),
      Object.keys(REFUSED).toSorted(),
    );
  });

  it('are accepted where it allows them, even from a folder with the name of another layer', () => {
    assert.deepEqual(lint(ALLOWED), []);
  });
});
