// Makes dist/: the bundles of each process. `node esbuild.mjs [--watch] [--production] [--analyze] [--out=FOLDER]`

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import { analyzeMetafile, context, transform } from 'esbuild';

const watch = process.argv.includes('--watch');
const production = process.argv.includes('--production');
const analyze = process.argv.includes('--analyze');
const dist = process.argv.find((argument) => argument.startsWith('--out='))?.slice('--out='.length) ?? 'dist';

/** ESM bundles still contain CommonJS packages that call `require` for Node's builtins. */
const requireForCommonJs = {
  js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
};

/**
 * zod brings its messages in every language it knows, a quarter of its size, and every bundle with zod would have them.
 * @type {import('esbuild').Plugin}
 */
const zodInEnglish = {
  name: 'zod-in-english',
  setup({ onLoad }) {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/** @type {import('esbuild').BuildOptions} */
const shared = {
  plugins: [zodInEnglish],
  bundle: true,
  sourcemap: true,
  minify: production,
  keepNames: production,
  legalComments: 'none',
  metafile: true,
  logLevel: 'info',
  define: { 'process.env.NODE_ENV': production ? '"production"' : '"development"' },
};

/** @type {import('esbuild').BuildOptions} */
const node = {
  ...shared,
  platform: 'node',
  format: 'esm',
  target: 'node22.16',
  banner: requireForCommonJs,
  // jsonc-parser's `main` requires its parts in a way that no bundler sees.
  mainFields: ['module', 'main'],
};

/**
 * Writes the ES modules of code splitting, which esbuild has for them alone, as CommonJS, which VS Code loads at once
 * (docs/decisions/0013-extension-split-as-commonjs.md).
 * @type {import('esbuild').Plugin}
 */
const splitCommonJs = {
  name: 'split-common-js',
  setup({ initialOptions, onEnd }) {
    const { minify = false, target } = initialOptions;
    onEnd(async ({ outputFiles = [], metafile }) => {
      for (const { path, text } of outputFiles) {
        // CommonJS has no `import.meta`, so that it would be an object without anything.
        const asksForUrl = text.includes('import.meta.url');
        const { code, map } = await transform(text, {
          ...{ format: 'cjs', platform: 'node', target, minify },
          ...(asksForUrl && {
            define: { 'import.meta.url': '__url' },
            banner: "const __url = require('node:url').pathToFileURL(__filename).href;",
          }),
          // `import()` becomes `require`, which VS Code's extension host gives its `vscode` to.
          supported: { 'dynamic-import': false },
          ...{ sourcemap: 'external', sourcefile: basename(path) },
        });
        await mkdir(dirname(path), { recursive: true });
        await writeFile(`${path}.map`, map);
        await writeFile(path, `${code}//# sourceMappingURL=${basename(path)}.map\n`);
        const output = metafile?.outputs[relative(process.cwd(), path).replaceAll('\\', '/')];
        if (output !== undefined) output.bytes = Buffer.byteLength(code);
      }
    });
  },
};

/**
 * VS Code's interface as one module of known names. As an unknown module each of the files that import it would copy
 * all of its hundreds of names for itself: half of what the extension takes to load.
 * @type {import('esbuild').Plugin}
 */
const vscodeOnce = {
  name: 'vscode-once',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^vscode$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'vscode' } : { path, external: true },
    );
    // Modules that are also tested outside VS Code import its strings' package, which is VS Code's own here.
    onResolve({ filter: /^@vscode\/l10n$/ }, ({ path }) => ({ path, namespace: 'vscode-l10n' }));
    onLoad({ filter: /.*/, namespace: 'vscode-l10n' }, () => ({
      contents: "import { l10n } from 'vscode';\nexport const t = (...words) => l10n.t(...words);",
      loader: 'js',
    }));
    onLoad({ filter: /.*/, namespace: 'vscode' }, () => {
      const types = readFileSync('node_modules/@types/vscode/index.d.ts', 'utf8');
      const names = types.matchAll(
        /^\texport (?:abstract )?(?:class|enum|namespace|const|function|let) (\w+)/gm,
      );
      const exported = [...new Set([...names].map(([, name]) => name))].map(
        (name) => `export const ${name} = /* @__PURE__ */ member('${name}');`,
      );
      return {
        contents: `const vscode = require('vscode'), member = (name) => vscode[name];\n${exported.join('\n')}`,
        loader: 'js',
      };
    });
  },
};

/**
 * Node's own modules as plain objects. As ES modules all of their exports are looked at when they are imported, and
 * looking at `node:http` alone loads the whole of `fetch`: a third of what the server takes to start.
 * @type {import('esbuild').Plugin}
 */
const plainBuiltins = {
  name: 'plain-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'builtin' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: 'js',
    }));
  },
};

const webviews = existsSync('src/webviews')
  ? readdirSync('src/webviews', { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && existsSync(`src/webviews/${entry.name}/main.tsx`))
      .map((entry) => ({ in: `src/webviews/${entry.name}/main.tsx`, out: entry.name }))
  : [];

/** @type {import('esbuild').BuildOptions[]} */
const bundles = [
  {
    ...node,
    entryPoints: { cli: 'src/cli/start.ts' },
    plugins: [zodInEnglish, plainBuiltins],
    // Each command is loaded when it is asked for.
    splitting: true,
    chunkNames: 'cli-[name]-[hash]',
  },
  {
    ...node,
    plugins: [zodInEnglish, plainBuiltins],
    entryPoints: {
      server: 'src/server/start.ts',
      // Threads, with what they share with a team's server: the client of PostgreSQL.
      'server-heartbeat': 'src/server/team/postgres/heartbeat/main.ts',
      'traces-link': 'src/server/team/traces/link-main.ts',
    },
    // The graphs' process is begun before most of it is read.
    splitting: true,
    chunkNames: 'server-[name]-[hash]',
  },
  {
    ...node,
    plugins: [zodInEnglish, plainBuiltins],
    entryPoints: {
      'traces-worker': 'src/server/traces-worker.ts',
      'build-guard': 'src/server/control-plane/builds/guard.ts',
    },
  },
  // Runs on the user's Node, which may be older than the server's.
  {
    ...node,
    target: 'node20',
    entryPoints: {
      'runtime-node': 'src/runtime/node/main.ts',
      'runtime-node-hooks': 'src/runtime/node/typescript/typescript-hooks.ts',
      'runtime-node-explain-import': 'src/runtime/node/loading/explain-import.ts',
      'runtime-node-schemas': 'src/runtime/node/schemas/typescript-schemas.ts',
      'runtime-node-http': 'src/runtime/node/exchanges/http-interceptors.ts',
      'runtime-node-container': 'src/runtime/node/link/container.ts',
    },
  },
  {
    ...node,
    target: 'node20',
    // Required by hooks, which cannot wait, on a Node that cannot require ES modules.
    format: 'cjs',
    banner: {},
    outExtension: { '.js': '.cjs' },
    minify: true,
    keepNames: false,
    sourcemap: false,
    entryPoints: { 'runtime-node-compiler': 'src/runtime/node/typescript/typescript-compiler.ts' },
  },
  {
    ...shared,
    platform: 'node',
    format: 'esm',
    target: 'node22.16',
    outExtension: { '.js': '.cjs' },
    // Asking for it makes VS Code warn of code that takes its extension host for a browser (zod does).
    // It is written as CommonJS.
    define: { ...shared.define, navigator: 'undefined', 'import.meta.dirname': '__dirname' },
    // The UMD builds of its libraries require their parts in a way that no bundler sees.
    mainFields: ['module', 'main'],
    entryPoints: { extension: 'src/extension/main.ts' },
    // What is imported when it is first needed is loaded then: activating the extension reads little.
    splitting: true,
    chunkNames: 'extension-[name]-[hash]',
    plugins: [vscodeOnce, zodInEnglish, splitCommonJs],
    // Functions would be given their names by what another chunk exports, which is a tenth of the time to load.
    keepNames: false,
    // The regular expressions of VS Code's grammars, in the chunk that colors code.
    loader: { '.wasm': 'binary' },
    // For splitCommonJs, which writes the files.
    sourcemap: 'inline',
    write: false,
  },
  {
    ...shared,
    platform: 'node',
    format: 'cjs',
    target: 'node22.16',
    outExtension: { '.js': '.cjs' },
    // The UMD builds of its libraries require their parts in a way that no bundler sees.
    mainFields: ['module', 'main'],
    entryPoints: { 'language-server': 'src/language-server/main.ts' },
  },
  {
    ...shared,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    outdir: `${dist}/webviews`,
    assetNames: '[name]',
    loader: { '.ttf': 'file' },
    // The virtual list is written for React.
    alias: {
      react: 'preact/compat',
      'react-dom': 'preact/compat',
      'react/jsx-runtime': 'preact/jsx-runtime',
    },
    entryPoints: [
      ...webviews,
      // A stylesheet of its own: the icons of web components link it once more.
      ...(webviews.length > 0
        ? [{ in: 'node_modules/@vscode/codicons/dist/codicon.css', out: 'codicon' }]
        : []),
    ],
  },
];

// What is running from dist/ keeps running while it is built again; a package starts from nothing.
if (production) await rm(dist, { recursive: true, force: true });
/** What went into each bundle, for its licenses and the checks that hold the layers apart and the sizes down. */
const made = {};
for (const options of bundles) {
  const entries = options.entryPoints;
  const sources = Array.isArray(entries) ? entries.map((entry) => entry.in) : Object.values(entries ?? {});
  if (sources.length === 0 || !sources.every((source) => existsSync(source))) continue;
  const build = await context({ outdir: dist, ...options });
  if (watch) {
    await build.watch();
    continue;
  }
  const result = await build.rebuild();
  for (const [file, output] of Object.entries(result.metafile?.outputs ?? {})) {
    if (!file.endsWith('.map')) made[file] = { bytes: output.bytes, inputs: Object.keys(output.inputs) };
  }
  if (analyze && result.metafile !== undefined) console.log(await analyzeMetafile(result.metafile));
  await build.dispose();
}
if (!watch) {
  await removeOldChunks();
  await writeFile(`${dist}/bundles.json`, JSON.stringify(made));
}
// Runs on the user's Python as it is written.
await rm(`${dist}/runtime-python`, { recursive: true, force: true });
await cp('src/runtime/python', `${dist}/runtime-python`, {
  recursive: true,
  filter: (file) => !/__pycache__|\.mypy_cache/.test(file),
});
// Data, which is read only when something has to be priced.
await cp('src/server/tracing/prices/model-prices.json', `${dist}/model-prices.json`);
await cp('templates', `${dist}/templates`, {
  recursive: true,
  filter: (file) => !/__pycache__|node_modules|\.venv|egg-info/.test(file),
});

/**
 * Removes the chunks that neither this build nor the one before wrote. Those of the build before may still be imported
 * by what is running.
 */
async function removeOldChunks() {
  const list = `${dist}/bundles.json`;
  const before = existsSync(list) ? Object.keys(JSON.parse(readFileSync(list, 'utf8'))) : [];
  const kept = new Set([...Object.keys(made), ...before].map((file) => basename(file)));
  for (const file of readdirSync(dist)) {
    const isChunk = /^(cli|server|extension)-.+-[A-Z0-9]{8}\.c?js(\.map)?$/.test(file);
    if (isChunk && !kept.has(file.replace(/\.map$/, ''))) await rm(`${dist}/${file}`, { force: true });
  }
}
