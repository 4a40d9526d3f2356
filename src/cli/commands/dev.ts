import { Command } from 'commander';
import { HeadStart } from '../../launcher/head-start.ts';
import {
  addressArgument,
  configOption,
  dataDirOption,
  parsePythonArgument,
  portArgument,
} from '../arguments/arguments.ts';
import { checkDebugOptions } from '../dev/debug-options.ts';
import { findConfig, openRequest } from '../folders/open-folder.ts';
import { type Connect, dataDirOf, type ProgramOptions } from '../terminal/context.ts';
import { saveMemory } from '../terminal/save-memory.ts';

interface DevOptions {
  readonly config: string;
  readonly port?: number;
  readonly dataDir?: string;
  readonly python?: string;
  readonly requireKey?: true;
  readonly host?: string;
  readonly debugPort?: number;
  readonly inspect?: number;
  readonly json?: true;
}

export function devCommand(program: ProgramOptions, connect: Connect): Command {
  return new Command('dev')
    .description('serve the agent of a langgraph.json, reload it on save, and show its log')
    .addOption(configOption())
    .option(
      '--port <number>',
      'port for the agent; 0 for any free port (default: the last one used, or 2024)',
      portArgument,
    )
    .option(
      '--python <path>',
      'Python interpreter, or the folder of a virtual environment (default: found automatically)',
    )
    .option(
      '--require-key',
      'require the API key to call the agent, so that other users of this machine cannot',
    )
    .option(
      '--host <address>',
      'also listen on this network address, such as 0.0.0.0 for all; other machines need the API key',
      addressArgument,
    )
    .option(
      '--debug-port <number>',
      'port on 127.0.0.1 where a Python debugger (debugpy) can attach; 0 for any free port',
      portArgument,
    )
    .option(
      '--inspect <number>',
      'port on 127.0.0.1 where a Node debugger can attach; 0 for any free port',
      portArgument,
    )
    .addOption(dataDirOption())
    .option('--json', 'print one line of JSON when ready, and nothing else')
    .action(async (options: DevOptions) => {
      saveMemory();
      const python =
        options.python === undefined
          ? undefined
          : await parsePythonArgument(options.python, program.environment);
      const configPath = await findConfig(options.config);
      await checkDebugOptions(configPath, options);
      // The server starts here, so that it loads the graphs while this program still loads.
      const headStart = await HeadStart.begin({
        dataDir: dataDirOf(program, options),
        serverPath: program.serverPath,
        firstFolder: openRequest(configPath, { ...options, python }),
      });
      try {
        await headStart.waitForAnnouncement(dataDirOf(program, options), program.interrupted);
        const [context, { DevSession }] = await Promise.all([
          connect('this machine'),
          import('../dev/dev-session.ts'),
        ]);
        const session = { ...options, configPath, python, headStart, json: options.json === true };
        await new DevSession(context, session).run();
      } finally {
        headStart.end();
      }
    });
}
