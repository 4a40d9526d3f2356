/** Writes docs/compatibility.md from what the conformance suite saw: `npm run compatibility` runs the suite first. */
import { readFile, writeFile } from 'node:fs/promises';
import { markdownTable } from 'markdown-table';
import { z } from 'zod';
import { differences } from '../test/conformance/differences.ts';
import { langsmithDifferences } from '../test/conformance/langsmith-differences.ts';

const root = new URL('../', import.meta.url);
const Report = z.record(z.string(), z.record(z.string(), z.array(z.string())));

const report = Report.parse(
  JSON.parse(await readFile(new URL('test-results/conformance.json', root), 'utf8')),
);

const Routes = z.record(z.string(), z.array(z.string()));
const langsmith = Routes.parse(
  JSON.parse(await readFile(new URL('test-results/conformance-langsmith.json', root), 'utf8')),
);
const langsmithPackage = z
  .object({ version: z.string() })
  .parse(JSON.parse(await readFile(new URL('node_modules/langsmith/package.json', root), 'utf8')));

const sections = Object.entries(report).map(([version, methods]) => {
  const rows = Object.entries(methods)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([method, routes]) => [
      `\`${method}\``,
      routes.map((route) => `\`${route}\``).join('<br>'),
      differences[version]?.[method] ?? differences.all?.[method] ?? 'works',
    ]);
  return `## @langchain/langgraph-sdk ${version}\n\n${markdownTable([['Method', 'Routes', 'Here'], ...rows])}\n`;
});

const langsmithRows = Object.entries({
  ...Object.fromEntries(Object.keys(langsmithDifferences).map((method) => [method, []])),
  ...langsmith,
})
  .toSorted(([a], [b]) => a.localeCompare(b))
  .map(([method, routes]) => [
    `\`${method}\``,
    routes.map((route) => `\`${route}\``).join('<br>') || '–',
    langsmithDifferences[method] ?? 'works',
  ]);
sections.push(
  `## langsmith ${langsmithPackage.version}\n\nAgainst the platform's tracing, feedback and datasets, by \`client.<method>\`.\n\n${markdownTable([['Method', 'Routes', 'Here'], ...langsmithRows])}\n`,
);

await writeFile(
  new URL('docs/compatibility.md', root),
  `# Which calls of the public SDKs work here

Made by \`npm run compatibility\` from \`test/conformance\`: the real SDKs call every method they have against a real
server with real graphs, and each row is a method that passed its tests. Do not edit it by hand.

${sections.join('\n')}`,
);
