/**
 * Checks bundled packages for known vulnerabilities: `npm run audit`. They are
 * development dependencies here, which `npm audit --omit=dev` leaves out.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import spawn from 'cross-spawn';
import { z } from 'zod';
import { bundledPackages } from './third-party-notices.ts';

const root = path.resolve(import.meta.dirname, '..');

const Bundles = z.record(z.string(), z.object({ inputs: z.array(z.string()) }));
const Answer = z.object({
  vulnerabilities: z.record(z.string(), z.object({ severity: z.string(), range: z.string() })),
});

const bundles = Bundles.parse(JSON.parse(await readFile(path.join(root, 'dist', 'bundles.json'), 'utf8')));
const packages = await bundledPackages(Object.values(bundles).flatMap(({ inputs }) => inputs));
for (const { name, version } of packages) console.log(`${name}@${version}`);

const folder = await mkdtemp(path.join(tmpdir(), 'agent-harbor-audit-'));
try {
  // Numbered, since a bundle may have two versions of one package.
  const entries = packages.map((entry, index) => ({ ...entry, alias: `bundled-${index}` }));
  const dependencies = Object.fromEntries(
    entries.map(({ alias, name, version }) => [alias, `npm:${name}@${version}`]),
  );
  const locked = Object.fromEntries(
    entries.map(({ alias, name, version }) => [`node_modules/${alias}`, { name, version }]),
  );
  const manifest = { name: 'bundled', version: '0.0.0' };
  await write('package.json', { ...manifest, dependencies });
  await write('package-lock.json', {
    ...manifest,
    lockfileVersion: 3,
    packages: { '': { ...manifest, dependencies }, ...locked },
  });
  const { stdout } = spawn.sync('npm', ['audit', '--package-lock-only', '--json'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const answer = Answer.safeParse(parsed(stdout));
  if (answer.success) {
    const found = Object.entries(answer.data.vulnerabilities);
    for (const [name, { severity, range }] of found) console.error(`${severity}: ${name} ${range}`);
    console.log(`${packages.length} bundled packages, ${found.length} with known vulnerabilities.`);
    if (found.length > 0) process.exitCode = 1;
  } else {
    console.log(`The registry answers no audits; ${packages.length} bundled packages were only listed.`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

function write(name: string, content: object): Promise<void> {
  return writeFile(path.join(folder, name), JSON.stringify(content, undefined, 2));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
