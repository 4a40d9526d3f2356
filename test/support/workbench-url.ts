import { pathToFileURL } from 'node:url';

export interface WorkbenchAddress {
  /** A folder or a `.code-workspace` file; an empty window without it. */
  readonly folder?: string | undefined;
  /** An extension to load from its source folder; with `automation` only. */
  readonly extensionDevelopmentPath?: string | undefined;
  /** A module that exports `run(): Promise<void>`, run inside the extension host; with `automation` only. */
  readonly extensionTestsPath?: string | undefined;
}

/** A file's path as in URIs, but not encoded: with slashes, and one before a drive letter. */
export function uriPath(file: string): string {
  return decodeURIComponent(pathToFileURL(file).pathname);
}

/** The address that opens a workbench of a VS Code server in a browser. */
export function workbenchUrl(origin: string, token: string, address: WorkbenchAddress): string {
  const url = new URL(origin);
  url.searchParams.set('tkn', token);
  if (address.folder) {
    const kind = address.folder.endsWith('.code-workspace') ? 'workspace' : 'folder';
    url.searchParams.set(kind, uriPath(address.folder));
  }
  const remote = (file: string): string => `vscode-remote://${url.host}${pathToFileURL(file).pathname}`;
  const payload: [string, string][] = [];
  if (address.extensionDevelopmentPath) {
    payload.push(['extensionDevelopmentPath', remote(address.extensionDevelopmentPath)]);
  }
  if (address.extensionTestsPath) payload.push(['extensionTestsPath', remote(address.extensionTestsPath)]);
  if (payload.length > 0) url.searchParams.set('payload', JSON.stringify(payload));
  // People copy this address: slashes may stay as they are in a query.
  return url.href.replaceAll('%2F', '/');
}
