import * as l10n from '@vscode/l10n';

/** Says before which nodes a run has paused, on one line. */
export function pausedBefore(nodes: readonly string[]): string {
  return nodes.length === 0 ? l10n.t('Paused') : l10n.t('Paused before {0}', nodes.join(', '));
}
