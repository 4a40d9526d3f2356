/**
 * Writes the right that each endpoint requires into SECURITY.md, between `<!-- rights -->` and `<!-- /rights -->`:
 * `node scripts/rights-table.ts [--check]`. With --check, it only says whether the file is up to date.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { markdownTable } from 'markdown-table';
import { type Endpoint, type RequiredRight, RIGHT_MEANINGS, RIGHTS } from '../src/contract/endpoint.ts';
import {
  agentServerTables,
  controlPlaneTables,
  platformTables,
  tracingTables,
} from '../src/contract/tables.ts';

const MEANINGS: Readonly<Record<RequiredRight, string>> = {
  ...RIGHT_MEANINGS,
  any: 'call what is open to every key',
  owner: "act beyond a workspace; only the owner's key can",
};

const file = new URL('../SECURITY.md', import.meta.url);
const place = /(?<=<!-- rights -->\n).*?(?=<!-- \/rights -->)/s;
const before = await readFile(file, 'utf8');
const after = before.replace(place, () => `\n${table()}\n\n`);
if (!place.test(before)) {
  console.error('SECURITY.md has no place for the rights: <!-- rights -->.');
  process.exitCode = 1;
} else if (!process.argv.includes('--check')) {
  await writeFile(file, after);
} else if (after !== before) {
  console.error('SECURITY.md is not up to date: run `npm run generate`.');
  process.exitCode = 1;
}

function table(): string {
  const ofPlatform = endpointsOf({ ...controlPlaneTables, ...tracingTables, ...platformTables });
  const ofAgents = endpointsOf(agentServerTables);
  const rows = [...RIGHTS, 'any' as const, 'owner' as const].map((right) => [
    `\`${right}\``,
    MEANINGS[right],
    [
      ...(ofAgents.some((endpoint) => asksFor(endpoint, right)) ? ['all endpoints of agent servers'] : []),
      ...pathsOf(ofPlatform.filter((endpoint) => asksFor(endpoint, right))),
    ].join(', '),
  ]);
  return markdownTable([['Right', 'Allows a key to', 'Endpoints'], ...rows], { alignDelimiters: false });
}

function endpointsOf(tables: Readonly<Record<string, Readonly<Record<string, Endpoint>>>>): Endpoint[] {
  return Object.values(tables).flatMap((endpoints) => Object.values(endpoints));
}

function asksFor(endpoint: Endpoint, right: RequiredRight): boolean {
  return 'right' in endpoint && endpoint.right === right;
}

/** Each path once, after its methods. */
function pathsOf(endpoints: readonly Endpoint[]): string[] {
  const methods = Map.groupBy(endpoints, ({ path }) => path);
  return [...methods]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, of]) => `\`${[...new Set(of.map(({ method }) => method))].join('/')} ${path}\``);
}
