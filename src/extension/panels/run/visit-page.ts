import * as vscode from 'vscode';

/**
 * Opens a web page in the browser, after the user has agreed to its host.
 * @returns whether it was opened
 * @throws Error for an address that is not a web page, or contains credentials.
 */
export async function visitPage(address: string): Promise<boolean> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new Error(vscode.l10n.t('The address is not a web page that can be opened.'));
  const open = vscode.l10n.t('Open');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('Open a page of {0}?', url.host),
    { modal: true, detail: vscode.l10n.t('A tool asks you to visit {0}', url.href) },
    open,
  );
  return chosen === open && vscode.env.openExternal(vscode.Uri.parse(url.href, true));
}
