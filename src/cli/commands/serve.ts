import { Command } from 'commander';
import { Presence } from '../../launcher/presence.ts';
import { dataDirOption, portArgument } from '../arguments.ts';
import { type Context, launcherOptions } from '../context.ts';
import { leave } from '../leave.ts';
import { untilAborted } from '../until-aborted.ts';

interface ServeOptions {
  readonly dataDir?: string;
  readonly port?: number;
  readonly json?: true;
}

export function serveCommand(context: Context): Command {
  return new Command('serve')
    .description('keep the platform running until you stop it')
    .option('--port <number>', "the platform's port; 0 is any free one", portArgument)
    .addOption(dataDirOption())
    .option('--json', 'print one line of JSON when it is ready, and nothing else')
    .action((options: ServeOptions) => serve(context, options));
}

async function serve(context: Context, options: ServeOptions): Promise<void> {
  const { terminal, dispatcher, interrupted } = context;
  let started = false;
  const presence = new Presence({
    client: 'agent-harbor serve',
    launcher: launcherOptions(context, options),
    onState(state) {
      if (!started) return;
      if (state.state === 'reconnecting')
        terminal.note(`The server went away (${state.reason}) Bringing it back …`);
      if (state.state === 'failed') terminal.failure(state.reason);
    },
  });
  try {
    const { baseUrl, apiKey, pid } = await presence.start();
    started = true;
    if (options.json) {
      terminal.line(JSON.stringify({ base_url: baseUrl, control_plane_url: baseUrl, api_key: apiKey, pid }));
    } else {
      const { dim } = terminal.colors;
      terminal.line(`${dim('Platform     ')} ${baseUrl}`);
      terminal.line(`${dim('Control plane')} ${baseUrl}/v2`);
      terminal.line(`${dim('API key      ')} ${apiKey}`);
      terminal.line(dim('Ctrl-C ends it.'));
    }
    await untilAborted(interrupted);
  } finally {
    const stays = await leave({ presence, dispatcher });
    if (stays) terminal.note('The server stays, since another client is using it.');
  }
}
