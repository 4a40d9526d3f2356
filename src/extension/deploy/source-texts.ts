import { pathToFileURL } from 'node:url';
import { l10n } from 'vscode';
import type { GitState } from '../../project/git-state.ts';
import type { PlannedSource } from './deploy-plan.ts';

/** Says which folder is deployed, and in which state. */
export function folderText({ top, commit, changed }: GitState): string {
  if (commit === undefined) return l10n.t('Source: {0}', top);
  const at = commit.slice(0, 7);
  if (changed === 0) return l10n.t('Source: {0} ({1})', top, at);
  return changed === 1
    ? l10n.t('Source: {0} ({1} + 1 uncommitted change)', top, at)
    : l10n.t('Source: {0} ({1} + {2} uncommitted changes)', top, at, changed);
}

/** A warning about work that is not deployed; undefined if all of it is. */
export function unsavedText(
  state: GitState,
  source: PlannedSource,
  place: 'local' | 'remote',
): string | undefined {
  if (source.kind !== 'repository' || source.ref !== state.branch) return undefined;
  const left = [
    uncommittedText(state),
    place === 'remote' && state.unpushed === undefined ? l10n.t('a branch that was never pushed') : undefined,
    place === 'remote' ? unpushedText(state) : undefined,
  ].filter((part) => part !== undefined);
  return left.length === 0 ? undefined : l10n.t('Not included: {0}', left.join(', '));
}

/** The number of uncommitted changes; undefined if there are none. */
export function uncommittedText({ changed }: GitState): string | undefined {
  if (changed === 0) return undefined;
  return changed === 1 ? l10n.t('1 uncommitted change') : l10n.t('{0} uncommitted changes', changed);
}

/** The number of commits that were not pushed; undefined if there are none, or if the branch was never pushed. */
export function unpushedText({ unpushed = 0 }: GitState): string | undefined {
  if (unpushed === 0) return undefined;
  return unpushed === 1 ? l10n.t('1 unpushed commit') : l10n.t('{0} unpushed commits', unpushed);
}

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
