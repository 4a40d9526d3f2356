import { Command } from 'commander';
import { clientOf } from '../../launcher/client-of.ts';
import type { RunningServer } from '../../launcher/running-server.ts';
import { dataDirOption, portArgument } from '../arguments/arguments.ts';
import { Foreground } from '../folders/foreground.ts';
import { HOLDER } from '../folders/open-folder.ts';
import type { Connect, Context } from '../terminal/context.ts';
import { saveMemory } from '../terminal/save-memory.ts';

interface OtelOptions {
  readonly dataDir?: string;
  readonly port?: number;
  readonly project?: string;
  readonly json?: true;
}

export function otelCommand(connect: Connect): Command {
  return new Command('otel')
    .description('receive OpenTelemetry from programs on this machine, without a key, until you stop it')
    .option('--port <number>', 'port on 127.0.0.1; 0 for any free port (default: 4318)', portArgument)
    .option('--project <name>', 'tracing project of spans that name none (default: "default")')
    .addOption(dataDirOption())
    .option('--json', 'print one line of JSON when ready, and nothing else')
    .action(async (options: OtelOptions) => {
      saveMemory();
      await receive(await connect('this machine'), options);
    });
}

async function receive(context: Context, options: OtelOptions): Promise<void> {
  const { terminal } = context;
  const { port, project } = options;
  const body = { port, project, holder: HOLDER };
  const open = async (server: RunningServer) => {
    const client = clientOf(server, context.dispatcher);
    return (await client.harbor.openReceiver({ body })).url;
  };
  const foreground = new Foreground(context, {
    dataDir: options.dataDir,
    client: 'agent-harbor otel',
    keeps: true,
    onSuccessor: (server) => void open(server).catch((error: Error) => foreground.fail(error)),
  });
  try {
    const server = await foreground.start();
    const url = await open(server);
    if (options.json) terminal.json({ url, base_url: server.baseUrl });
    else {
      const { dim } = terminal.colors;
      terminal.line(`Receiving OpenTelemetry at ${url}/v1/traces and /v1/logs.`);
      terminal.line(dim(`To send traces here, set OTEL_EXPORTER_OTLP_ENDPOINT=${url}`));
      terminal.line(
        dim('and OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf. View them with `agent-harbor traces`.'),
      );
      terminal.line(dim('Press Ctrl-C to stop.'));
    }
    await foreground.untilInterrupted();
    const client = clientOf(server, context.dispatcher);
    // A server that has stopped has already closed the receiver.
    await client.harbor.closeReceiver({ body: { holder: HOLDER } }, { retries: 0 }).catch(() => {});
  } finally {
    await foreground.disconnect();
  }
}
