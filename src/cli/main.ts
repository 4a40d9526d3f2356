import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };
import { createDispatcher } from '../client/dispatcher.ts';
import { interruption } from './interruption.ts';
import { runProgram } from './program.ts';
import { Terminal } from './terminal.ts';

const { env: environment, stdin, stdout, stderr } = process;
const dispatcher = createDispatcher(environment);
const exitCode = await runProgram(
  {
    terminal: new Terminal({ stdout, stderr, environment }),
    dispatcher,
    version: packageJson.version,
    serverPath: fileURLToPath(new URL('./server.js', import.meta.url)),
    templatesPath: fileURLToPath(new URL('./templates', import.meta.url)),
    environment,
    stdin,
    interrupted: interruption(),
  },
  process.argv.slice(2),
);
await dispatcher.destroy();
// Standard output may be a pipe that is still being read.
stdout.write('', () => process.exit(exitCode));
