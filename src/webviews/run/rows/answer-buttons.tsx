import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';

interface AnswerButtonsProps {
  /** Further buttons. */
  readonly children?: ComponentChildren;
  readonly onSubmit: () => void;
  readonly onCancel?: (() => void) | undefined;
  readonly label: string;
}

/** The buttons below the fields of an answer. */
export function AnswerButtons({ onSubmit, onCancel, label, children }: AnswerButtonsProps) {
  return (
    <div class="buttons">
      <vscode-button type="button" onClick={onSubmit}>
        {label}
      </vscode-button>
      {onCancel !== undefined && (
        <vscode-button type="button" secondary onClick={onCancel}>
          {l10n.t('Cancel')}
        </vscode-button>
      )}
      {children}
    </div>
  );
}
