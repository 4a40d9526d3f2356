import { l10n } from 'vscode';
import type { Revision } from '../../contract/control-plane/revisions.ts';

/** The status of a revision in words; an unknown one in lower case. */
export function statusLabel(status: string): string {
  switch (status) {
    case 'CREATING':
      return l10n.t('creating…');
    case 'QUEUED':
      return l10n.t('queued');
    case 'AWAITING_BUILD':
      return l10n.t('waiting to build');
    case 'BUILDING':
      return l10n.t('building…');
    case 'AWAITING_DEPLOY':
      return l10n.t('waiting to deploy');
    case 'DEPLOYING':
      return l10n.t('deploying…');
    case 'CREATE_FAILED':
      return l10n.t('could not be created');
    case 'BUILD_FAILED':
      return l10n.t('build failed');
    case 'DEPLOY_FAILED':
      return l10n.t('deployment failed');
    case 'DEPLOYED':
      return l10n.t('deployed');
    case 'SKIPPED':
      return l10n.t('skipped');
    case 'INTERRUPTED':
      return l10n.t('stopped');
    default:
      return status.toLowerCase().replaceAll('_', ' ');
  }
}

/** The status of an earlier revision in words or, if it drains, how many runs are left. */
export function revisionLabel({ status, draining }: Pick<Revision, 'status' | 'draining'>): string {
  if (draining === undefined) return statusLabel(status);
  return draining.runs === 1
    ? l10n.t('draining, 1 run left')
    : l10n.t('draining, {0} runs left', draining.runs);
}

/**
 * The source of a revision: `main 62b7213`, `62b7213 + 2 changes`, `agent:1.4 6492cc4`; undefined if unknown.
 */
export function sourceLabel({
  source_revision_config,
}: Pick<Revision, 'source_revision_config'>): string | undefined {
  const { repo_ref, repo_commit_sha, uncommitted_changes: changes } = source_revision_config ?? {};
  const { image_uri, image_digest } = source_revision_config ?? {};
  if (image_uri) return [image_uri, image_digest?.replace(/^sha256:/, '').slice(0, 7)].join(' ').trim();
  const commit = repo_commit_sha?.slice(0, 7);
  const ref = repo_ref?.replace(/^refs\/(?:heads|tags)\//, '');
  // The requested reference may be the commit itself.
  const isCommit = commit !== undefined && ref?.startsWith(commit);
  const named = [isCommit ? undefined : ref, commit].filter((part) => part).join(' ');
  if (named === '') return undefined;
  if (!changes) return named;
  return changes === 1 ? l10n.t('{0} + 1 change', named) : l10n.t('{0} + {1} changes', named, changes);
}
