import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const code = globSync('{src,test,bench,scripts}/**/*.{ts,tsx,py,css,json}', { cwd: root }).filter(
  (file) => !file.includes('node_modules') && !file.endsWith('sources.test.ts'),
);
const pages = globSync('{docs/**/*.md,*.md,examples/**/*.md,bench/**/*.md}', { cwd: root }).filter(
  (file) => !file.includes('node_modules'),
);
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** Anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  const headings = read(page).matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  );
}

/** Why a link is broken; undefined if it is not. */
function dangling(target: string, from: string): string | undefined {
  const [file = '', anchor] = target.split('#');
  const page = file === '' ? from : path.posix.join(path.posix.dirname(from.replaceAll(path.sep, '/')), file);
  const found = globSync(page, { cwd: root }).length > 0;
  if (!found) return `${from}: ${target} does not exist`;
  if (anchor === undefined || !page.endsWith('.md')) return undefined;
  return anchorsOf(page).includes(anchor) ? undefined : `${from}: ${target} is not a heading of that page`;
}

describe('sources that comments cite', () => {
  it('exist in this repository', () => {
    const cited = code.flatMap((file) =>
      [...read(file).matchAll(/\bdocs\/[\w./-]+\.md(?:#[\w-]+)?/g)].map(([target]) => ({ file, target })),
    );
    assert.ok(cited.length > 50, 'comments cite pages of docs');
    assert.deepEqual(
      cited.flatMap(({ file, target }) => {
        const why = dangling(target, 'README.md');
        return why === undefined ? [] : [`${file}: ${why}`];
      }),
      [],
    );
  });

  it('are public', () => {
    const absent =
      /\bpublic facts\b|\bclient behaviours\b|\bfacts, [A-E]\b|\(specification\b|\bthe specification\b/;
    assert.deepEqual(
      [...code, ...pages.filter((page) => !page.startsWith(path.join('docs', 'interface')))].filter((file) =>
        absent.test(read(file)),
      ),
      [],
    );
  });
});

describe('files that the pages for contributors name', () => {
  it('exist', () => {
    const pagesForContributors = pages.filter((page) => /contributing|SECURITY/i.test(page));
    const named = pagesForContributors.flatMap((page) =>
      [...read(page).matchAll(/`((?:src|test|scripts|docs|bench)\/[\w./-]+)`/g)].map(([, file = '']) => ({
        page,
        file,
      })),
    );
    assert.ok(named.length > 40, 'they name files');
    assert.deepEqual(
      named.filter(({ file }) => globSync(file, { cwd: root }).length === 0),
      [],
    );
  });
});

describe('links in the documentation', () => {
  it('lead to files and headings that exist', () => {
    const links = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, target = '']) => ({
        page,
        target,
      })),
    );
    assert.ok(links.length > 50, 'pages link each other');
    assert.deepEqual(
      links.flatMap(({ page, target }) => dangling(target, page) ?? []),
      [],
    );
  });
});
