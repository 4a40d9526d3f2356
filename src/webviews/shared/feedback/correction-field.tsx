import './correction-field.css';
import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { JsonEditor } from '../json-editor.tsx';
import { correctable } from './feedback-input.ts';

interface CorrectionFieldProps {
  /** The correction as JSON; `undefined` until the user adds one. */
  readonly value: string | undefined;
  /** The output, as the initial value of a correction. */
  readonly output: unknown;
  readonly problem: string | undefined;
  readonly onInput: (correction: string | undefined) => void;
  readonly onSubmit: () => void;
}

/** A link that opens a field for the output as it should have been. */
export function CorrectionField({ value, output, problem, onInput, onSubmit }: CorrectionFieldProps) {
  const editor = useRef<HTMLTextAreaElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const isOpen = value !== undefined;
  const wasOpen = useRef(isOpen);
  // The link and the editor replace each other, so the focus moves with them.
  useLayoutEffect(() => {
    if (wasOpen.current !== isOpen) (isOpen ? editor : opener).current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  if (value === undefined) {
    const begin = () => onInput(JSON.stringify(correctable(output), undefined, 2));
    return (
      <button ref={opener} type="button" class="link" onClick={begin}>
        {l10n.t('Add Correction')}
      </button>
    );
  }
  return (
    <div class="correction-field">
      <JsonEditor
        label={l10n.t('Correct output (JSON)')}
        value={value}
        problem={problem}
        editor={editor}
        onInput={onInput}
        onSubmit={onSubmit}
      />
      <button type="button" class="link" onClick={() => onInput(undefined)}>
        {l10n.t('Remove Correction')}
      </button>
    </div>
  );
}
