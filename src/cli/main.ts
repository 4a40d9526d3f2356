import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };
import { takeHandedOverSecrets } from '../process/secret-handover.ts';
import { runProgram } from './program.ts';
import type { Context, ProgramOptions, Reach } from './terminal/context.ts';
import { abortOnInterruption } from './terminal/interruption.ts';
import { Terminal } from './terminal/terminal.ts';

const { stdin, stdout, stderr } = process;
const handedOver = takeHandedOverSecrets(process.env);
const environment = { ...process.env, ...handedOver };
const options: ProgramOptions = {
  terminal: new Terminal({ stdout, stderr, environment }),
  version: packageJson.version,
  serverPath: fileURLToPath(new URL('./server.js', import.meta.url)),
  templatesPath: fileURLToPath(new URL('./templates', import.meta.url)),
  environment,
  stdin,
  interrupted: abortOnInterruption(),
};
let context: Promise<Context> | undefined;
const exitCode = await runProgram(options, (reach) => (context ??= connect(reach)), process.argv.slice(2));
await (await context)?.dispatcher.destroy();
// Standard output may be a pipe that is still being read.
stdout.write('', () => process.exit(exitCode));

async function connect(reach: Reach = 'network'): Promise<Context> {
  if (reach === 'this machine') {
    const { LocalDispatcher } = await import('../client/local-dispatcher.ts');
    return { ...options, dispatcher: new LocalDispatcher() };
  }
  const { createDispatcher } = await import('../client/dispatcher.ts');
  return { ...options, dispatcher: createDispatcher(environment) };
}
