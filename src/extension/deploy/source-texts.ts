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

/**
 * A warning about local work that is not deployed: uncommitted changes and unpushed commits of the branch
 * that is deployed. Undefined if there is none, or another source is deployed.
 */
export function notIncludedText(
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

/**
 * The number of commits that were not pushed; undefined if there are none, or if the branch was never pushed.
 */
export function unpushedText({ unpushed = 0 }: GitState): string | undefined {
  if (unpushed === 0) return undefined;
  return unpushed === 1 ? l10n.t('1 unpushed commit') : l10n.t('{0} unpushed commits', unpushed);
}
