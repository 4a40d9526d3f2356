import { pathToFileURL } from 'node:url';
import type { GitState } from '../../project/git-state.ts';

/**
 * The address from which to clone a repository: for the local server its folder, which may have commits that
 * were never pushed; otherwise its remote.
 */
export function repositoryAddress(
  { top, commit, remoteUrl }: GitState,
  place: 'local' | 'remote',
): string | undefined {
  if (commit === undefined) return undefined;
  if (place === 'local') return pathToFileURL(top).href;
  if (remoteUrl === undefined) return undefined;
  // Git's short form of ssh is not a URL.
  const short = /^(?:([\w.-]+)@)?([\w.-]+):(?!\/)(.+)$/.exec(remoteUrl);
  if (short === null || URL.canParse(remoteUrl)) return httpsAddress(remoteUrl);
  const [, user = 'git', host = '', path = ''] = short;
  return httpsAddress(`ssh://${user}@${host}/${path}`);
}

/**
 * Makes an address usable for platforms: for GitHub with https, and always without a password.
 * @returns undefined if the address is not a URL for https, ssh or a file
 */
function httpsAddress(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.hostname === 'github.com') return `https://github.com${url.pathname.replace(/\.git$/, '')}`;
  url.password = '';
  if (url.protocol !== 'ssh:') url.username = '';
  return /^(?:https|ssh|file):$/.test(url.protocol) ? url.href : undefined;
}
