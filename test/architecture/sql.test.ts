import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const server = path.resolve(import.meta.dirname, '../../src/server');
/** Traces have their own database, and a team has PostgreSQL; these folders write queries for them. */
const OWN_DATABASE = /^(storage|tracing|purging|traces-thread|team)\b/;

/** SQL that only SQLite supports; `src/server/storage/dialect-expressions.ts` has expressions that replace it. */
const SQLITE_ONLY =
  /\b(json_\w+|strftime|julianday|unixepoch|group_concat|instr|glob|rowid|cosine)\b|->>?\s*[$'"\d]|\bis (not )?\$\{|\blike\b/i;

/** The SQL in a file's templates: the text of each, without the values. */
function sqlOf(file: string): string[] {
  const text = readFileSync(path.join(server, file), 'utf8');
  const templates = text.matchAll(/\bsql(?:\.raw\(|<[^`(]*>)?`((?:[^`\\]|\\.)*)`/g);
  const functions = text.matchAll(/\bfn(?:<[^(]*>)?\('(\w+)'/g);
  return [...templates, ...functions].map(([, found = '']) => found);
}

describe('queries on state.db', () => {
  const files = globSync('**/*.ts', { cwd: server }).filter((file) => !OWN_DATABASE.test(file));
  const all = files.flatMap((file) => sqlOf(file).map((text) => ({ file, text })));

  it('contain no syntax that only SQLite supports', () => {
    assert.ok(all.length > 15, 'there is SQL');
    assert.deepEqual(
      all.filter(({ text }) => SQLITE_ONLY.test(text)),
      [],
    );
  });

  it('are reported if they do not', () => {
    for (const text of [
      "json_extract(value, '$')",
      "metadata ->> 'key'",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as it is in a file
      '${stored} is not ${given}',
      'instr(lower(name), name) > 0',
      "name like '%'",
    ]) {
      assert.match(text, SQLITE_ONLY);
    }
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as it is in a file
    for (const text of ['${listener} is not null', 'coalesce(max(seq), 0) + 1', 'score desc nulls last']) {
      assert.doesNotMatch(text, SQLITE_ONLY);
    }
  });
});
