import './copy-button.css';
import * as l10n from '@vscode/l10n';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type CopyKind, offerInMenu } from './copy-menu.ts';
import { Icon } from './icon.tsx';

/** How long “Copied” is shown. */
const COPIED_MS = 1500;

interface CopyButtonProps {
  /** Returns the text to copy; called when the button is pressed. */
  readonly text: () => string;
  readonly label?: string;
  /** The kind of text, for the Copy command in the context menu of the surrounding area. */
  readonly kind: CopyKind;
}

/** A button that copies a text and confirms it. */
export function CopyButton({ text, kind, label = l10n.t('Copy') }: CopyButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
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
