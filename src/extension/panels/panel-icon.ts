import * as vscode from 'vscode';

/** The icon of every panel, for light and dark themes. */
export function panelIcon(extensionUri: vscode.Uri): {
  readonly light: vscode.Uri;
  readonly dark: vscode.Uri;
} {
  const icon = (theme: string) => vscode.Uri.joinPath(extensionUri, 'media', `panel-${theme}.svg`);
  return { light: icon('light'), dark: icon('dark') };
}
