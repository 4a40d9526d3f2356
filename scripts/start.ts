/**
 * Opens a folder in a real VS Code in the browser, with the extension as it is built in `dist/`:
 *
 *     npm start [-- [FOLDER] [--port N] [--data-dir DIR]]
 *
 * Prints its address and runs until Ctrl-C. Without a folder it opens the example. The data of the agents is
 * in DIR, by default `.harbor/start`; VS Code's own state is temporary.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { npm, projectRoot } from '../test/support/cache.ts';
import { installVsCode } from '../test/support/vscode-install.ts';
import { startVsCodeServer } from '../test/support/vscode-server.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { port: { type: 'string', default: '0' }, 'data-dir': { type: 'string' } },
});

const example = path.join(projectRoot, 'examples', 'docs-agent');
const folder = path.resolve(positionals[0] ?? example);
const port = Number(values.port);
if (!existsSync(folder)) fail(`Folder not found: ${folder}. Usage: npm start -- FOLDER`);
if (!Number.isInteger(port) || port < 0 || port > 65535) {
  fail(`--port must be a number from 0 (any free port) to 65535, not ${values.port}.`);
}
if (!existsSync(path.join(projectRoot, 'dist', 'extension.cjs'))) {
  fail('The extension is not built. Run: npm run build');
}

if (folder === example && !existsSync(path.join(example, 'node_modules'))) {
  console.error('Installing the packages of the example…');
  await npm(['ci', '--ignore-scripts'], example);
}
const { terminal } = await installVsCode(() => console.error('Fetching VS Code (only the first time)…'));
if (terminal !== 'works') console.error(`The integrated terminal will not work: ${terminal}`);

const server = await startVsCodeServer({
  port,
  extensions: [projectRoot],
  harborDataDir: path.resolve(values['data-dir'] ?? path.join(projectRoot, '.harbor', 'start')),
});

console.log(server.workbenchUrl({ folder }));

const end = await Promise.race([
  server.exited,
  ...(['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) =>
    once(process, signal).then(() => 'asked' as const),
  ),
]);
await server.stop();
if (end !== 'asked') fail(`VS Code's server has ended by itself (exit code ${end}).`);

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
