/** Lists comments that begin with "Of", "What" or "Who" instead of their subject; see CONTRIBUTING.md. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
/**
 * Released migrations are never changed, fixtures were written by other programs, and the protocol's types are
 * generated from its schema.
 */
const LEFT = [
  'src/**/migrations/**',
  'test/fixtures/**',
  'src/runtime/protocol/protocol.ts',
  'src/runtime/python/agent_harbor_runtime/protocol.py',
];
const WORDS = '(?:Of|What|Whatever|Who|Whoever|Whose|Whom)\\b';
/** The first line of a comment: on a later line, the word may belong to a sentence that began on the line before. */
const TYPESCRIPT = new RegExp(
  `/\\*\\*?\\s+(?:\\* )?${WORDS}.*|^(?!.*https?:)(?:.*\\S)?[ \\t]*// ${WORDS}.*`,
  'gm',
);
const PYTHON = new RegExp(`^\\s*"""${WORDS}.*|^(?:.*\\S)?[ \\t]*#:? ${WORDS}.*`, 'gm');
const LINE_COMMENT = /^\s*(?:\/\/|#)/;

const found = globSync('{src,test,bench,scripts,lint}/**/*.{ts,tsx,py}', { cwd: root, exclude: LEFT })
  .toSorted()
  .flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    const matches = [...text.matchAll(file.endsWith('.py') ? PYTHON : TYPESCRIPT)];
    return matches.flatMap(({ 0: comment, index }) => {
      const lines = text.slice(0, index).split('\n');
      if (LINE_COMMENT.test(comment) && LINE_COMMENT.test(lines.at(-2) ?? '')) return [];
      return [`${file}:${lines.length}: ${comment.trim()}`];
    });
  });
for (const line of found) console.error(line);
if (found.length > 0) {
  console.error(
    'These comments begin with "Of", "What" or "Who". Begin with the subject: "Deleted projects, …".',
  );
  process.exitCode = 1;
}
