import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** A folder whose parts import only from lower floors. */
const LADDER = {
  'src/area/api/handlers.ts': "import { rule } from '../rules/rule.ts';\nimport '../settings.ts';\n",
  'src/area/rules/rule.ts': "import type { Row } from '../data/row.ts';\nimport './other.ts';\n",
  'src/area/rules/other.ts': 'export const other = 1;\n',
  'src/area/data/row.ts': 'export interface Row {}\n',
  'src/area/settings.ts': '',
  'lint/floors.json': JSON.stringify({ 'src/area': [['data'], ['rules'], ['api']] }),
};

/** The findings of the check in a folder with these sources. */
function check(sources: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'structure-'));
  try {
    for (const [file, text] of Object.entries(sources)) {
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

describe('the structure check', () => {
  it('accepts folders that import only from lower floors', () => {
    assert.equal(check(LADDER), '');
  });

  it('refuses a type that is imported from a higher floor', () => {
    const planted = { ...LADDER, 'src/area/data/planted.ts': "import type { R } from '../rules/rule.ts';\n" };
    assert.match(check(planted), /^Rooms of src\/area reach each other: data, rules\./);
  });

  it('refuses a cycle of three folders in which no two import each other', () => {
    const planted = { ...LADDER, 'src/area/data/planted.ts': "await import('../api/handlers.ts');\n" };
    assert.match(check(planted), /^Rooms of src\/area reach each other: api, data, rules\./);
  });

  it('refuses an upward import even if nothing imports back', () => {
    const planted = {
      'src/area/data/row.ts': "import '../rules/rule.ts';\n",
      'src/area/rules/rule.ts': '',
      'src/area/api/handlers.ts': '',
      'lint/floors.json': LADDER['lint/floors.json'],
    };
    assert.match(
      check(planted),
      /^src\/area\/data imports src\/area\/rules, which lint\/floors\.json has no lower/,
    );
  });

  it('refuses upward imports in Python', () => {
    const floors = JSON.stringify({ 'src/area': [['data'], ['rules']] });
    const python = {
      'src/area/data/row.py': 'from ..rules.rule import rule\n',
      'src/area/rules/rule.py': '',
      'lint/floors.json': floors,
    };
    assert.match(check(python), /^src\/area\/data imports src\/area\/rules/);
    const circle = { ...python, 'src/area/rules/rule.py': 'def rule():\n    from ..data import row\n' };
    assert.match(check(circle), /^Rooms of src\/area reach each other: data, rules\./);
  });

  it('refuses a folder that is on no floor, and a floor whose folder does not exist', () => {
    const { 'src/area/api/handlers.ts': _, ...rest } = LADDER;
    const told = check({ ...rest, 'src/area/planted/new.ts': '' });
    assert.match(told, /on which floor of src\/area the folder planted is\./);
    assert.match(told, /src\/area\/api, which does not exist\./);
  });
});
