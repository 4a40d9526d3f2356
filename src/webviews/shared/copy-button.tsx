import './copy-button.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type CopyKind, offerInMenu } from './copy-menu.ts';
import { Icon } from './icon.tsx';

/** How long “Copied” is shown, in ms. */
const SHOWN_MS = 1500;

interface CopyButtonProps {
  /** The text to copy, read when it is pressed. */
  readonly text: () => string;
  readonly label?: string;
  /** The kind of text; also offered in the context menu of its area. */
  readonly kind: CopyKind;
}

/** Copies a string, and confirms it. */
export function CopyButton({ text, kind, label = l10n.t('Copy') }: CopyButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  useEffect(() => {
    const area = button.current?.closest('.copyable');
    if (area) offerInMenu(area, kind, text);
  });
  const shown = isCopied ? l10n.t('Copied') : label;
  return (
    <button
      ref={button}
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
