import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** A folder whose rooms go downwards. */
const LADDER = {
  'src/area/api/handlers.ts': "import { rule } from '../rules/rule.ts';\nimport '../settings.ts';\n",
  'src/area/rules/rule.ts': "import type { Row } from '../data/row.ts';\nimport './other.ts';\n",
  'src/area/rules/other.ts': 'export const other = 1;\n',
  'src/area/data/row.ts': 'export interface Row {}\n',
  'src/area/settings.ts': '',
};

/** What the check says of a folder with these sources, and with what it may have. */
function check(sources: Readonly<Record<string, string>>, allowed: object = {}): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'structure-'));
  const files = { ...sources, 'lint/structure.json': JSON.stringify(allowed) };
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      writeFileSync(path.join(folder, file), text);
    }
    const { status, stderr } = spawnSync(
      process.execPath,
      [path.join(root, 'scripts/structure.ts'), '--check', `--root=${folder}`],
      { encoding: 'utf8' },
    );
    assert.equal(status, stderr === '' ? 0 : 1, stderr);
    return stderr;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the check of the structure', () => {
  it('accepts folders whose imports go downwards', () => {
    assert.equal(check(LADDER), '');
  });

  it('refuses a type that is imported from the room above', () => {
    const planted = { ...LADDER, 'src/area/data/planted.ts': "import type { R } from '../rules/rule.ts';\n" };
    assert.match(check(planted), /^src\/area may have 0 rooms in knots and 0 pairs .* has 2 and 1\./);
  });

  it('refuses a circle of three in which no two import each other', () => {
    const planted = { ...LADDER, 'src/area/data/planted.ts': "await import('../api/handlers.ts');\n" };
    assert.match(check(planted), /^src\/area may have 0 rooms in knots and 0 pairs .* has 3 and 0\./);
  });

  it('asks for lower numbers once a folder has less than it may', () => {
    const allowed = { 'src/area': { knotted: 2, pairs: 1 } };
    assert.match(check(LADDER, allowed), /^src\/area has 0 rooms in knots and 0 pairs, fewer than/);
  });
});
