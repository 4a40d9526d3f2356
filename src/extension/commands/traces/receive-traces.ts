import * as vscode from 'vscode';
import type { Client } from '../../../client/client.ts';
import type { LocalConnection } from '../../connections/local.ts';
import { WINDOW_HOLDER as holder } from '../../connections/window-holder.ts';
import type { ErrorReporter } from '../../dialogs/errors.ts';
import type { Command } from '../command.ts';

interface ReceiveTracesParts {
  readonly connections: {
    readonly local: Pick<LocalConnection, 'connect' | 'onDidChangeState' | 'state'>;
  };
  readonly errors: Pick<ErrorReporter, 'watch'>;
}

/** Opens the receiver after each connection, until the user stops receiving. */
let reopening: vscode.Disposable | undefined;

/**
 * Makes the local server receive OpenTelemetry from programs on this machine, without a key, at the port to
 * which such programs send by default.
 */
export const receiveTraces: Command<ReceiveTracesParts> = async ({ connections: { local }, errors }) => {
  const open = ({ harbor }: Client) => harbor.openReceiver({ body: { holder } });
  const { url } = await open(await local.connect());
  reopening?.dispose();
  // A new server does not know the receiver, and a server closes it for a window that is away for long.
  reopening = local.onDidChangeState((state) => {
    if (state.status === 'ready') errors.watch(open(state.client), 'receive traces');
  });
  const copy = vscode.l10n.t('Copy Variables');
  const stop = vscode.l10n.t('Stop Receiving');
  const message = vscode.l10n.t('Receiving OpenTelemetry at {0} while this window is open.', url);
  const chosen = await vscode.window.showInformationMessage(message, copy, stop);
  if (chosen === copy)
    await vscode.env.clipboard.writeText(
      `OTEL_EXPORTER_OTLP_ENDPOINT=${url}\nOTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf\n`,
    );
  else if (chosen === stop) {
    reopening.dispose();
    if (local.state.status === 'ready') await local.state.client.harbor.closeReceiver({ body: { holder } });
  }
};
