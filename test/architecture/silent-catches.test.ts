import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
/** Handlers that do not use the error. A handler that throws another error has given a reason. */
const SILENT = /\.catch\(\s*\(\)\s*=>(?!\s*\{\s*(?:\/\/[^\n]*\n\s*)*throw\b)[^\n]*/g;
const COMMENT = /^\s*(?:\/\/|\/?\*)|\s\/\/ |\*\/$/;

/** Lines of `.catch` that drop an error and have no comment beside them. */
function unexplained(text: string): number[] {
  const lines = text.split('\n');
  return [...text.matchAll(SILENT)]
    .map(({ index, 0: found }) => ({
      first: text.slice(0, index).split('\n').length - 1,
      last: text.slice(0, index + found.length).split('\n').length - 1,
    }))
    .filter(({ first, last }) => !isExplained(lines, first, last))
    .map(({ first }) => first + 1);
}

/** Whether its statement has a comment above or in it, or is the first of a function that has a docstring. */
function isExplained(lines: readonly string[], first: number, last: number): boolean {
  if (lines.slice(first, last + 1).some((line) => COMMENT.test(line))) return true;
  for (let at = first - 1; at >= 0; at -= 1) {
    const line = lines[at] ?? '';
    if (COMMENT.test(line)) return true;
    if (line.endsWith('{')) return isDocumented(lines, at);
    if (/^\s*$|[;}]$/.test(line)) return false;
  }
  return false;
}

/** Whether the function whose first statement follows this line has a docstring. */
function isDocumented(lines: readonly string[], opening: number): boolean {
  if (/^\s*(?:if|for|while|do|try|else|switch|\})/.test(lines[opening] ?? '')) return false;
  for (let at = opening - 1; at >= 0; at -= 1) {
    const line = lines[at] ?? '';
    if (/\*\/$/.test(line)) return true;
    if (/^\s*$|[;{}]$/.test(line)) return false;
  }
  return false;
}

describe('an error that is dropped', () => {
  it('has a comment with the reason', () => {
    const files = globSync('src/**/*.{ts,tsx}', { cwd: root });
    assert.ok(files.length > 1000, 'sources are found');
    assert.deepEqual(
      files.flatMap((file) =>
        unexplained(readFileSync(path.join(root, file), 'utf8')).map((line) => `${file}:${line}`),
      ),
      [],
    );
  });

  it('is reported if it has no reason, and only then', () => {
    const bare = ['const a = 1;', 'await b', '  .c()', '  .catch(() => undefined);'];
    assert.deepEqual(unexplained(bare.join('\n')), [4]);
    assert.deepEqual(unexplained(['if (a) {', ...bare.slice(1)].join('\n')), [4]);
    assert.deepEqual(unexplained(bare.toSpliced(1, 0, '// It may have ended.').join('\n')), []);
    assert.deepEqual(unexplained(bare.toSpliced(3, 0, '  // It may have ended.').join('\n')), []);
    assert.deepEqual(unexplained('/** Why. */\nfunction a() {\n  return b().catch(() => {});\n}'), []);
    assert.deepEqual(unexplained('function a() {\n  return b().catch(\n    () => [],\n  );\n}'), [2]);
  });
});
