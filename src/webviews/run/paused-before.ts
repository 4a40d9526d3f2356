import * as l10n from '@vscode/l10n';

/** A sentence that names the nodes before which a run has paused. */
export function pausedBefore(nodes: readonly string[]): string {
  return nodes.length === 0 ? l10n.t('Paused') : l10n.t('Paused before {0}', nodes.join(', '));
}
