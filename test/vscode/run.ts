/**
 * Runs `test/vscode/*.test.ts` inside a real extension host:
 *
 *     node test/vscode/run.ts [--desktop] [--grep PATTERN] [--folder FOLDER] [FILE...]
 *
 * in VS Code's server with its workbench in a browser, or with `--desktop` in desktop VS Code. The last line
 * is `N passed, N failed`, and `, N skipped` when some were. Exit code 0 when all passed, 1 when one failed
 * or nothing could run, 77 if `--desktop` was skipped because desktop VS Code is not available.
 */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../support/cache.ts';
import { exampleFolder } from '../support/example.ts';
import { runInExtensionHost } from './host/host-run.ts';
import { inBrowser } from './host/in-browser.ts';
import { inDesktop } from './host/in-desktop.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    desktop: { type: 'boolean', default: false },
    grep: { type: 'string' },
    folder: { type: 'string' },
  },
});

const skippedExitCode = 77;
// The example needs its dependencies: the suite loads its graphs.
const folder = values.folder ? path.resolve(values.folder) : await exampleFolder('docs-agent');
const own = (await readdir(import.meta.dirname)).filter((name) => name.endsWith('.test.ts'));
const tests =
  positionals.length > 0
    ? positionals.map((file) => path.resolve(file))
    : own.map((name) => path.join(import.meta.dirname, name));

const result = await runInExtensionHost(values.desktop ? inDesktop : inBrowser, {
  extension: projectRoot,
  tests: tests.toSorted(),
  folder: existsSync(folder) ? folder : undefined,
  grep: values.grep,
});

switch (result.kind) {
  case 'ran':
    console.log(
      `${result.passed} passed, ${result.failed} failed${result.skipped > 0 ? `, ${result.skipped} skipped` : ''}`,
    );
    process.exitCode = result.failed > 0 ? 1 : 0;
    break;
  case 'broken':
    console.error(result.reason);
    console.log('0 passed, 1 failed');
    process.exitCode = 1;
    break;
  case 'skipped':
    console.log(
      `skipped: ${result.reason}; \`npm run test:vscode\` runs the same suite in the browser workbench`,
    );
    process.exitCode = skippedExitCode;
    break;
}
