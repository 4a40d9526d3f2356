/**
 * Writes docs/compatibility.md from the results of the conformance suite: `npm run compatibility` runs the suite first.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { markdownTable } from 'markdown-table';
import { z } from 'zod';
import { differences } from '../test/conformance/differences.ts';
import {
  langsmithDifferences,
  pythonLangsmithDifferences,
} from '../test/conformance/langsmith-differences.ts';

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

const python = z
  .object({ version: z.string(), routes: Routes })
  .parse(JSON.parse(await readFile(new URL('test-results/conformance-langsmith-python.json', root), 'utf8')));

/** A table of a client's methods, including those that are missing here. */
function tableOf(called: z.output<typeof Routes>, apart: Readonly<Record<string, string>>): string {
  const rows = Object.entries({
    ...Object.fromEntries(Object.keys(apart).map((method) => [method, []])),
    ...called,
  })
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([method, routes]) => [
      `\`${method}\``,
      routes.map((route) => `\`${route}\``).join('<br>') || '–',
      apart[method] ?? 'works',
    ]);
  return markdownTable([['Method', 'Routes', 'Here'], ...rows]);
}

const against = "Methods of `client` that use the platform's tracing, feedback and datasets.";
sections.push(
  `## langsmith ${langsmithPackage.version} (JavaScript)\n\n${against}\n\n${tableOf(langsmith, langsmithDifferences)}\n`,
  `## langsmith ${python.version} (Python)\n\n${against}\n\n${tableOf(python.routes, pythonLangsmithDifferences)}\n`,
);

const file = new URL('docs/compatibility.md', root);
const [written] = /^## Protocols\n.*?(?=^## )/ms.exec(await readFile(file, 'utf8')) ?? [];
if (written === undefined) throw new Error("docs/compatibility.md has no part '## Protocols'.");

await writeFile(
  file,
  `# Compatibility

These tables list the methods of the public SDKs, and whether they work here. In \`test/conformance\`, the real SDKs call
all their methods on a real server with real graphs. \`npm run compatibility\` runs these tests and writes the tables; only
*Protocols* is edited by hand.

${written}${sections.join('\n')}`,
);
