import './copy-button.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** How long it says that it has copied. */
const SHOWN_MS = 1500;

interface CopyButtonProps {
  /** What it copies, asked for when it is pressed. */
  readonly text: () => string;
  readonly label?: string;
}

/** Copies a text, and says that it has. */
export function CopyButton({ text, label = l10n.t('Copy') }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const shown = isCopied ? l10n.t('Copied') : label;
  return (
    <button
      type="button"
      class="copy"
      title={shown}
      aria-label={shown}
      onClick={(event) => {
        event.preventDefault();
        void navigator.clipboard.writeText(text()).then(() => setCopied(true));
      }}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
    </button>
  );
}
