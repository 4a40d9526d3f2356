import * as vscode from 'vscode';
import type { NetworkSettings } from '../../client/dispatcher.ts';

/** The network settings of VS Code. */
export function readNetworkSettings(): NetworkSettings {
  const http = vscode.workspace.getConfiguration('http');
  const proxySupport = http.get<string>('proxySupport', 'override');
  const authorization = http.get<string | null>('proxyAuthorization', null);
  return {
    ...(proxySupport !== 'off' && { proxy: http.get('proxy', '') }),
    ...(authorization !== null && { proxyAuthorization: authorization }),
    noProxy: http.get<string[]>('noProxy', []),
    strictSsl: http.get('proxyStrictSSL', true),
    systemCertificates: http.get('systemCertificates', true),
  };
}

/** Calls back when the network settings of VS Code change. */
export function onNetworkSettingsChanged(changed: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration('http')) changed();
  });
}
