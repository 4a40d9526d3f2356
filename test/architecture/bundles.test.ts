import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const root = path.resolve(import.meta.dirname, '../..');
const Bundles = z.record(z.string(), z.object({ bytes: z.int(), inputs: z.array(z.string()) }));
const bundles = Bundles.parse(JSON.parse(readFileSync(path.join(root, 'dist/bundles.json'), 'utf8')));

/** The files that are read with a bundle: itself, and what it requires at its top, which `import()` does not. */
function readAtOnce(bundle: string, read = new Set<string>()): Set<string> {
  if (read.has(bundle)) return read;
  read.add(bundle);
  const text = readFileSync(path.join(root, bundle), 'utf8');
  for (const [, file] of text.matchAll(/^(?:var|const) .*?require\("\.\/([^"]+)"\)/gm)) {
    readAtOnce(`dist/${file}`, read);
  }
  return read;
}

/** The files that an ES module is loaded with: itself, and what it imports at its top. */
function importedAtOnce(bundle: string, read = new Set<string>()): Set<string> {
  if (read.has(bundle)) return read;
  read.add(bundle);
  const text = readFileSync(path.join(root, bundle), 'utf8');
  for (const [, file] of text.matchAll(/(?:\bfrom|^import)\s*"\.\/([^"]+)"/gm)) {
    importedAtOnce(`dist/${file}`, read);
  }
  return read;
}

describe('a webview bundle', () => {
  const webviews = Object.entries(bundles).filter(([file]) => /^dist\/webviews\/.*\.js$/.test(file));

  it('is in dist', () => assert.notEqual(webviews.length, 0));

  it('stays under its limit', () => {
    const limits: Readonly<Record<string, number>> = {
      'dist/webviews/run.js': 690_000,
      'dist/webviews/trace.js': 436_000,
      'dist/webviews/experiments.js': 160_000,
    };
    for (const [file, { bytes }] of webviews)
      assert.ok(bytes < (limits[file] ?? 0), `${file}: ${bytes} bytes`);
  });

  for (const [file, { inputs }] of webviews) {
    it(`(${file}) contains rules of src/terms, and only types of the contract and the extension`, () => {
      assert.deepEqual(
        inputs.filter((input) => /^src\/(?!webviews\/|terms\/)|node_modules\/(?:zod|undici)\//.test(input)),
        [],
      );
    });
  }
});

describe('the bundle of the Node runtime', () => {
  it('is small, and contains no zod, because each runtime loads it before any graph', () => {
    const { bytes, inputs } = bundles['dist/runtime-node.js'] ?? assert.fail();
    assert.deepEqual(
      inputs.filter((input) => input.includes('node_modules/zod/')),
      [],
    );
    assert.ok(bytes < 225_000, `${bytes} bytes`);
  });
});

describe('the extension bundle', () => {
  const ours = Object.keys(bundles).filter((file) => /^dist\/extension\b.*\.cjs$/.test(file));

  it('contains each module once, so that a class is the same wherever it is used', () => {
    const inputs = ours.flatMap((file) => bundles[file]?.inputs ?? []);
    assert.deepEqual(
      inputs.filter((input, index) => inputs.indexOf(input) !== index),
      [],
    );
  });

  it('imports the vscode module only once, because each import copies all of its names', () => {
    const asking = ours.filter((file) => readFileSync(path.join(root, file), 'utf8').includes('("vscode")'));
    // One import for all of our code, and one in the language client, which is written as CommonJS.
    assert.deepEqual(asking.map((file) => /language-client/.test(file)).toSorted(), [false, true]);
  });

  it('knows where its files are, although CommonJS has no import.meta', () => {
    const asking = ours.filter((file) => readFileSync(path.join(root, file), 'utf8').includes('import_meta'));
    assert.deepEqual(asking, []);
  });

  it('reads at most 36 files and 450 kB for activation, and no code of a package', () => {
    const read = readAtOnce('dist/extension.cjs');
    assert.ok(read.size > 1, 'it is split');
    assert.ok(read.size <= 36, `${read.size} files`);
    const bytes = [...read].reduce((sum, file) => sum + (bundles[file]?.bytes ?? 0), 0);
    assert.ok(bytes > 100_000 && bytes < 450_000, `${bytes} bytes`);
    // Loading zod and its schemas would take most of the activation time.
    const inputs = [...read].flatMap((file) => bundles[file]?.inputs ?? []);
    assert.deepEqual(
      inputs.filter((input) => /node_modules\/|^src\/contract\//.test(input)),
      [],
    );
  });

  it('contains no server code', () => {
    const inputs = Object.entries(bundles)
      .filter(([file]) => file.endsWith('.cjs'))
      .flatMap(([, bundle]) => bundle.inputs);
    assert.notEqual(inputs.length, 0);
    assert.deepEqual(
      inputs.filter((input) => input.startsWith('src/server/')),
      [],
    );
  });
});

describe('the server bundle', () => {
  const ours = Object.entries(bundles).filter(([file]) => /^dist\/(server|cli)\b.*\.js$/.test(file));

  it('loads no code for teams for a data folder, except what reads its options', () => {
    const isForTeams = (input: string) =>
      /^src\/server\/team\/|^node_modules\/(?:pg|aws4fetch)\//.test(input);
    const ofTeams = ours.flatMap(([, { inputs }]) => inputs.filter(isForTeams));
    for (const file of [
      'postgres/postgres-state',
      'objects/s3-objects',
      'front-door',
      'moving/team-database',
    ])
      assert.ok(ofTeams.includes(`src/server/team/${file}.ts`), file);
    // A chunk is named after the file that `import()` names; the heartbeat's is main.ts, like the server's.
    const names = new Set([
      ...ofTeams.map((input) => path.basename(input, '.ts')).filter((name) => name !== 'main'),
      'rotate-secrets-key',
    ]);
    const entries = ours
      .map(([file]) => file)
      .filter((file) => !file.includes('-chunk-'))
      .filter((file) => !names.has(file.replace(/^dist\/server-|-[A-Z0-9]{8}\.js$/g, '')))
      .filter((file) => file !== 'dist/server-heartbeat.js');
    assert.ok(entries.length > 20);
    const loaded = entries.flatMap((entry) =>
      [...importedAtOnce(entry)].flatMap((file) => bundles[file]?.inputs.filter(isForTeams) ?? []),
    );
    assert.deepEqual([...new Set(loaded)].toSorted(), [
      'src/server/team/deployment-addresses.ts',
      'src/server/team/moving/move-error.ts',
      'src/server/team/moving/move-request.ts',
      'src/server/team/objects/objects.ts',
      'src/server/team/team-platform.ts',
    ]);
  });
});

describe('the bundle of the command line', () => {
  it('loads only the part of the contract that a command in the foreground needs', () => {
    const session = Object.keys(bundles).filter((file) => /^dist\/cli-dev-session-[^/]*\.js$/.test(file));
    assert.equal(session.length, 1);
    const read = importedAtOnce(session[0] ?? assert.fail());
    const contract = [...read]
      .flatMap((file) => bundles[file]?.inputs ?? [])
      .filter((input) => input.startsWith('src/contract/'));
    assert.ok(contract.includes('src/contract/harbor.ts'));
    assert.deepEqual(
      contract.filter((input) =>
        /^src\/contract\/(?:agent-server|control-plane|datasets|tracing)\//.test(input),
      ),
      [],
    );
  });
});
