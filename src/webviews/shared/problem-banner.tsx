import * as l10n from '@vscode/l10n';
import { Icon } from './icon.tsx';

interface ProblemBannerProps {
  /** Without a problem, there is no banner. */
  readonly problem: string | undefined;
  readonly onTryAgain?: () => void;
  /** The titles of further actions. */
  readonly actions: readonly string[];
  readonly onAct: (index: number) => void;
  readonly onShowLog: () => void;
  readonly onDismiss: () => void;
}

/** Says what went wrong, and offers actions to resolve it. */
export function ProblemBanner({
  problem,
  onTryAgain,
  actions,
  onAct,
  onShowLog,
  onDismiss,
}: ProblemBannerProps) {
  if (problem === undefined) return null;
  return (
    <div class="banner failed" role="alert">
      <Icon name="error" />
      <span class="grow">{problem}</span>
      {actions.map((title, index) => (
        <button key={title} type="button" class="link" onClick={() => onAct(index)}>
          {title}
        </button>
      ))}
      {onTryAgain !== undefined && (
        <button type="button" class="link" onClick={onTryAgain}>
          {l10n.t('Try Again')}
        </button>
      )}
      <button type="button" class="link" onClick={onShowLog}>
        {l10n.t('Show Log')}
      </button>
      <vscode-toolbar-button icon="close" label={l10n.t('Dismiss')} onClick={onDismiss} />
    </div>
  );
}
