import * as l10n from '@vscode/l10n';
import { useId } from 'preact/hooks';

interface MessageFieldProps {
  readonly placeholder: string;
  readonly value: string;
  readonly isInvalid: boolean;
  readonly onInput: (text: string) => void;
  readonly onSubmit: () => void;
  readonly onFiles: (files: readonly File[]) => void;
  /** The last message; the up arrow restores it in an empty field. */
  readonly last: string | undefined;
}

/** The field for a message. Enter sends it. */
export function MessageField(props: MessageFieldProps) {
  const { placeholder, value, isInvalid, onInput, onSubmit, onFiles, last } = props;
  const id = useId();
  return (
    <>
      <label class="for-screen-readers" for={id}>
        {l10n.t('Message')}
      </label>
      <textarea
        id={id}
        rows={1}
        value={value}
        placeholder={placeholder}
        spellcheck
        aria-invalid={isInvalid}
        onInput={(event) => onInput(event.currentTarget.value)}
        onPaste={(event) => {
          const files = [...(event.clipboardData?.files ?? [])];
          if (files.length === 0) return;
          event.preventDefault();
          onFiles(files);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowUp' && value === '' && last !== undefined) {
            event.preventDefault();
            onInput(last);
            return;
          }
          // In an input method, Enter chooses a word.
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          onSubmit();
        }}
      />
    </>
  );
}
