import * as vscode from 'vscode';
import type { NetworkSettings } from '../../client/dispatcher.ts';

/** How VS Code is set to reach the network. */
export function networkSettings(): NetworkSettings {
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

/** Calls back when VS Code is set to reach the network in another way. */
export function onNetworkSettingsChanged(changed: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration('http')) changed();
  });
}
