import * as l10n from '@vscode/l10n';
import { useId } from 'preact/hooks';

interface MessageFieldProps {
  readonly placeholder: string;
  readonly value: string;
  readonly isInvalid: boolean;
  readonly onInput: (text: string) => void;
  readonly onSubmit: () => void;
}

/** Where a message is typed; Enter sends it. */
export function MessageField({ placeholder, value, isInvalid, onInput, onSubmit }: MessageFieldProps) {
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
        onKeyDown={(event) => {
          // An input method's Enter chooses a word.
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          onSubmit();
        }}
      />
    </>
  );
}
