import * as vscode from 'vscode';
import type { Connections } from '../../connections/connections.ts';
import { WINDOW_HOLDER } from '../../connections/window-holder.ts';
import type { Command } from '../command.ts';

/**
 * Makes the local server receive OpenTelemetry from programs on this machine, without a key, at the port to
 * which such programs send by default.
 */
export const receiveTraces: Command<{ readonly connections: Connections }> = async ({
  connections: { local },
}) => {
  const client = await local.connect();
  const holder = WINDOW_HOLDER;
  const { url } = await client.harbor.openReceiver({ body: { holder } });
  const copy = vscode.l10n.t('Copy Variables');
  const stop = vscode.l10n.t('Stop Receiving');
  const message = vscode.l10n.t('Receiving OpenTelemetry at {0} while this window is open.', url);
  const chosen = await vscode.window.showInformationMessage(message, copy, stop);
  if (chosen === copy)
    await vscode.env.clipboard.writeText(
      `OTEL_EXPORTER_OTLP_ENDPOINT=${url}\nOTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf\n`,
    );
  else if (chosen === stop) await client.harbor.closeReceiver({ body: { holder } });
};
