/**
 * Writes the linter's import rules and the tables of CONTRIBUTING from `lint/layers.json`. With --check, it
 * only checks whether they are up to date.
 */
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { markdownTable } from 'markdown-table';
import { z } from 'zod';

const Layer = z.strictObject({
  /** Its path below the folder that the list is for. */
  folder: z.string(),
  what: z.string(),
  /** Folders in the same list; imports from any other are refused. */
  imports: z.array(z.string()),
  /** A note for the table, if the list of folders does not say everything. */
  note: z.string().optional(),
  packages: z.string().optional(),
  /** Whether only types may be imported from the folders. */
  typesOnly: z.boolean().optional(),
  /** Whether it also runs in a browser, so that it may import nothing from Node. */
  anywhere: z.boolean().optional(),
  vscode: z.boolean().optional(),
});
type Layer = z.output<typeof Layer>;

const Layers = z.strictObject({ src: z.array(Layer), 'src/server': z.array(Layer) });

const root = path.resolve(import.meta.dirname, '..');
const layers = Layers.parse(JSON.parse(await readFile(path.join(root, 'lint/layers.json'), 'utf8')));

const problems = [...problemsOf('src', layers.src), ...problemsOf('src/server', layers['src/server'])];
const outputs: Readonly<Record<string, string>> = {
  'lint/layers.biome.json': `${JSON.stringify({ overrides: [...overridesOf(layers.src), ...serverOverrides()] }, null, 2)}\n`,
  'CONTRIBUTING.md': await contributing(),
};
for (const [file, text] of Object.entries(outputs)) {
  const target = path.join(root, file);
  if (!process.argv.includes('--check')) await writeFile(target, text);
  else if ((await readFile(target, 'utf8').catch(() => '')) !== text)
    problems.push(`${file} does not say what lint/layers.json says: run \`npm run generate\`.`);
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

/** Folders that are missing from a list, and imports of folders that are not in the list or come later in it. */
function problemsOf(top: string, list: readonly Layer[]): string[] {
  const known = list.map(({ folder }) => folder.split('/')[0]);
  const unlisted = globSync('*', { cwd: path.join(root, top), withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !known.includes(entry.name))
    .map(({ name }) => `lint/layers.json does not say what ${top}/${name} may import.`);
  const upward = list.flatMap(({ folder, imports }, at) =>
    imports
      .filter(
        (name) =>
          !list.slice(0, at).some((below) => name === below.folder || name.startsWith(`${below.folder}/`)),
      )
      .map(
        (name) => `lint/layers.json: ${folder} may import only what is listed above it, and ${name} is not.`,
      ),
  );
  return [...unlisted, ...upward];
}

function overridesOf(list: readonly Layer[]) {
  return list.flatMap((layer) =>
    folderOverrides(`src/${layer.folder}`, {
      layer,
      mayImport: layer.imports,
      allowed: layer.imports.map((name) => `src/${name}/**`),
    }),
  );
}

/** A folder of the server may import what the server may, and files beside the folders. */
function serverOverrides() {
  const server = layers.src.find(({ folder }) => folder === 'server');
  const outside = (server?.imports ?? []).map((name) => `src/${name}/**`);
  return layers['src/server'].flatMap((layer) =>
    folderOverrides(`src/server/${layer.folder}`, {
      layer,
      mayImport: [...layer.imports, ...(server?.imports ?? [])],
      allowed: [...layer.imports.map((name) => `src/server/${name}/**`), 'src/server/*', ...outside],
    }),
  );
}

/**
 * One override for each depth of the folder's files, since the number of `../` that leave the folder depends on the
 * depth of the file: imports from outside are refused unless they are allowed.
 */
function folderOverrides(
  folder: string,
  {
    layer,
    mayImport,
    allowed,
  }: { readonly layer: Layer; readonly mayImport: readonly string[]; readonly allowed: readonly string[] },
) {
  const files = globSync('**/*.{ts,tsx}', { cwd: path.join(root, folder) });
  const deepest = Math.max(0, ...files.map((file) => file.split(path.sep).length - 1));
  // One level deeper than the files, so that the editor refuses such imports in a new folder too.
  return Array.from({ length: deepest + 2 }, (_, depth) => {
    const from = `${folder}${'/x'.repeat(depth)}`;
    const patterns = [
      {
        group: [
          `${'../'.repeat(depth + 1)}**`,
          ...allowed.map((name) => `!${path.posix.relative(from, name)}`),
          '!**/package.json',
        ],
        message: `${folder} may import ${mayImport.length === 0 ? 'no other folder' : `only ${mayImport.join(', ')}`} (lint/layers.json).`,
      },
      ...(layer.vscode ? [] : [{ group: ['vscode'], message: 'Only the extension imports vscode.' }]),
      ...(layer.anywhere ? [{ group: ['node:*'], message: `${folder} runs in a browser too.` }] : []),
    ];
    return {
      includes: [`${folder}${'/*'.repeat(depth)}/*.{ts,tsx}`],
      linter: {
        rules: { style: { noRestrictedImports: { level: 'error', options: { patterns } } } },
      },
    };
  });
}

async function contributing(): Promise<string> {
  const text = await readFile(path.join(root, 'CONTRIBUTING.md'), 'utf8');
  return Object.entries(layers).reduce((page, [top, list]) => {
    const [begin, end] = [`<!-- layers of ${top} -->`, `<!-- end of ${top} -->`];
    const [before, after] = [page.indexOf(begin), page.indexOf(end)];
    if (before < 0 || after < 0) throw new Error(`CONTRIBUTING.md lacks ${begin} or ${end}.`);
    const rows = list.map((layer) => [`\`${top}/${layer.folder}\``, layer.what, sayInTable(layer)]);
    const table = markdownTable([['folder', 'what', 'may import'], ...rows], { alignDelimiters: false });
    return `${page.slice(0, before + begin.length)}\n${table}\n${page.slice(after)}`;
  }, text);
}

function sayInTable({ imports, note, packages, typesOnly }: Layer): string {
  const said = note ?? [...imports, ...(packages === undefined ? [] : [packages])].join(', ');
  if (said === '') return 'nothing';
  return typesOnly ? `types of ${said}` : said;
}
