/**
 * Writes src/server/tracing/prices/model-prices.json from the data of @pydantic/genai-prices, without its code:
 * `node scripts/model-prices.ts [VERSION]`.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { PRICE_UNITS } from '../src/server/tracing/prices/units.ts';
import { npm } from '../test/support/cache.ts';

const PACKAGE = '@pydantic/genai-prices';
const Price = z.union([
  z.number(),
  z.object({ base: z.number(), tiers: z.array(z.object({ price: z.number(), start: z.number() })) }),
]);
const Prices = z.record(z.string(), Price);
const Constraint = z.object({
  start_date: z.string().optional(),
  start_time: z.string().optional(),
  end_time: z.string().optional(),
});
const Provider = z.object({
  id: z.string(),
  model_match: z.unknown().optional(),
  provider_match: z.unknown().optional(),
  fallback_model_providers: z.array(z.string()).optional(),
  models: z.array(
    z.object({
      id: z.string(),
      match: z.unknown(),
      prices: z.union([z.array(z.object({ constraint: Constraint.optional(), prices: Prices })), Prices]),
    }),
  ),
});
const Package = z.object({ waitForUpdate: z.function({ input: [], output: z.unknown() }) });

const wanted = process.argv[2] ?? 'latest';
const folder = await mkdtemp(path.join(tmpdir(), 'model-prices-'));
try {
  await writeFile(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  await npm(['install', '--ignore-scripts', `${PACKAGE}@${wanted}`], folder);
  const installed = path.join(folder, 'node_modules', PACKAGE);
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8')));
  const { stdout } = await promisify(execFile)('npm', ['view', `${PACKAGE}@${version}`, 'time', '--json'], {
    cwd: folder,
    shell: process.platform === 'win32',
  });
  const published = z.record(z.string(), z.string()).parse(JSON.parse(stdout))[version] ?? '';
  const license = await readFile(path.join(installed, 'LICENSE'), 'utf8');
  const loaded = Package.parse(await import(pathToFileURL(path.join(installed, 'dist/index.js')).href));
  const providers = z.array(Provider).parse(await loaded.waitForUpdate());
  const kept = providers.flatMap(({ models, ...provider }) => {
    const priced = models.flatMap(({ id, match, prices }) => {
      const periods = Array.isArray(prices) ? prices : [{ prices }];
      const wholly = periods.flatMap(({ constraint, prices: all }) => {
        const known = Object.entries(all).filter(([unit]) => unit in PRICE_UNITS);
        return known.length === 0 ? [] : [{ ...constraint, prices: Object.fromEntries(known) }];
      });
      return wholly.length === 0 ? [] : [{ id, match, prices: wholly }];
    });
    return priced.length === 0 ? [] : [{ ...provider, models: priced }];
  });
  // One line per model, so that the diff of a newer version is readable.
  const lines = kept.map(({ models, ...provider }) => {
    const head = JSON.stringify(provider).slice(0, -1);
    return `${head},"models":[\n${models.map((model) => JSON.stringify(model)).join(',\n')}\n]}`;
  });
  const about = { source: PACKAGE, version, date: published.slice(0, 10), license };
  const text = `${JSON.stringify(about).slice(0, -1)},"providers":[\n${lines.join(',\n')}\n]}\n`;
  await writeFile(path.resolve(import.meta.dirname, '../src/server/tracing/prices/model-prices.json'), text);
  console.log(`${PACKAGE} ${version}: ${kept.flatMap(({ models }) => models).length} models`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
