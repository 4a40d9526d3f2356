import { Command } from 'commander';
import { dataDirOption, portArgument } from '../arguments/arguments.ts';
import { Foreground } from '../folders/foreground.ts';
import type { Connect, Context } from '../terminal/context.ts';
import { saveMemory } from '../terminal/save-memory.ts';

interface ServeOptions {
  readonly dataDir?: string;
  readonly port?: number;
  readonly json?: true;
}

export function serveCommand(connect: Connect): Command {
  return new Command('serve')
    .description('keep the platform running until you stop it')
    .option(
      '--port <number>',
      'port for the platform; 0 for any free port (default: the last one used)',
      portArgument,
    )
    .addOption(dataDirOption())
    .option('--json', 'print one line of JSON when ready, and nothing else')
    .action(async (options: ServeOptions) => {
      saveMemory();
      await serve(await connect('this machine'), options);
    });
}

async function serve(context: Context, options: ServeOptions): Promise<void> {
  const { terminal } = context;
  const foreground = new Foreground(context, { ...options, client: 'agent-harbor serve', keeps: true });
  try {
    const { baseUrl, apiKey, pid } = await foreground.start();
    if (options.json) {
      const line = { base_url: baseUrl, control_plane_url: baseUrl, api_key: apiKey, pid };
      terminal.json(line);
    } else {
      const { dim } = terminal.colors;
      terminal.line(`${dim('Platform     ')} ${baseUrl}`);
      terminal.line(`${dim('Control plane')} ${baseUrl}/v2`);
      terminal.line(`${dim('API key      ')} ${apiKey}`);
      terminal.line(dim('Press Ctrl-C to stop.'));
    }
    await foreground.untilInterrupted();
  } finally {
    await foreground.disconnect();
  }
}
