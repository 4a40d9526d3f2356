import './json-editor.css';
import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { useId } from 'preact/hooks';
import { parseJson } from './json-input.ts';

interface JsonEditorProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
  /** Called for Ctrl+Enter. */
  readonly onSubmit?: (() => void) | undefined;
  /** The problem of the text, in a sentence. */
  readonly problem?: string | undefined;
  readonly rows?: number | undefined;
  readonly isLabelHidden?: boolean | undefined;
  readonly editor?: RefObject<HTMLTextAreaElement> | undefined;
}

/** A field for JSON: keeps the indentation of the previous line, formats, and shows errors. */
export function JsonEditor(props: JsonEditorProps) {
  const { label, value, onInput, onSubmit, problem, rows = 4, isLabelHidden = false, editor } = props;
  const id = useId();
  const parsed = parseJson(value);
  const formatted = 'value' in parsed ? JSON.stringify(parsed.value, undefined, 2) : undefined;
  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: HTMLTextAreaElement }): void => {
    if (event.key !== 'Enter' || event.isComposing) return;
    if (event.ctrlKey || event.metaKey) {
      if (onSubmit === undefined) return;
      event.preventDefault();
      onSubmit();
    } else if (!event.shiftKey) {
      const { selectionStart: start } = event.currentTarget;
      const line = value.slice(value.lastIndexOf('\n', start - 1) + 1, start);
      const deeper = /[[{]\s*$/.test(line) ? '  ' : '';
      event.preventDefault();
      const indent = (/^\s*/.exec(line)?.[0] ?? '') + deeper;
      // No other way of inserting text can be undone with Ctrl+Z.
      document.execCommand('insertText', false, `\n${indent}`);
    }
  };
  return (
    <div class={problem === undefined ? 'json-editor' : 'json-editor bad'}>
      <div class={isLabelHidden ? 'for-screen-readers' : 'label-row'}>
        <label for={id}>{label}</label>
        {!isLabelHidden && (
          <button
            type="button"
            class="link"
            disabled={formatted === undefined || formatted === value}
            onClick={() => formatted !== undefined && onInput(formatted)}
          >
            {l10n.t('Format')}
          </button>
        )}
      </div>
      <textarea
        ref={editor ?? null}
        id={id}
        class="code"
        rows={rows}
        value={value}
        spellcheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-problem`}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <p class="invalid" id={`${id}-problem`} role="alert">
        {problem}
      </p>
    </div>
  );
}
