import { pathToFileURL } from 'node:url';
import type { GitState } from '../../project/git-state.ts';

/**
 * The address from which to clone a repository: for the local server its folder, which may have commits that
 * were never pushed; otherwise its remote.
 * @returns undefined without a commit, or if no platform can use the remote's address
 */
export function repositoryAddress(
  { top, commit, remoteUrl }: Pick<GitState, 'top' | 'commit' | 'remoteUrl'>,
  place: 'local' | 'remote',
): string | undefined {
  if (commit === undefined) return undefined;
  if (place === 'local') return pathToFileURL(top).href;
  if (remoteUrl === undefined) return undefined;
  // Git's short form of ssh, `user@host:path`. The class URL would take the host for a scheme. One letter is a drive.
  const short = /^(?:([\w.-]+)@)?([\w.-]{2,}):(?!\/\/)\/?(.+)$/.exec(remoteUrl);
  if (short === null) return usableAddress(remoteUrl);
  const [, user = 'git', host = '', path = ''] = short;
  return usableAddress(`ssh://${user}@${host}/${path}`);
}

/**
 * Makes an address usable for a platform: GitHub's with https, and none with a password.
 * @returns undefined if the address is not a URL for https, ssh or a file
 */
function usableAddress(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.hostname === 'github.com') return `https://github.com${url.pathname.replace(/\.git$/, '')}`;
  url.password = '';
  if (url.protocol !== 'ssh:') url.username = '';
  return /^(?:https|ssh|file):$/.test(url.protocol) ? url.href : undefined;
}
