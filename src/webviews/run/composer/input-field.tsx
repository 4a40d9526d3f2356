import './input-field.css';
import * as l10n from '@vscode/l10n';
import type { Draft } from '../../shared/form/draft.ts';
import { SchemaForm } from '../../shared/form/form.tsx';
import type { Problems } from '../../shared/form/read-form.ts';
import { Icon } from '../../shared/icon.tsx';
import { JsonEditor } from '../../shared/json-editor.tsx';
import type { Typed } from './input.ts';
import { MessageField } from './message-field.tsx';

interface InputFieldProps {
  readonly typed: Typed;
  /** The name of the assistant, for the placeholder. */
  readonly assistant: string;
  readonly isInvalid: boolean;
  /** Problems of the form's fields. */
  readonly problems: Problems;
  /** Whether the form is collapsed to make room for the output. */
  readonly isFolded: boolean;
  readonly onUnfold: () => void;
  readonly onText: (text: string) => void;
  readonly onForm: (draft: Draft) => void;
  readonly onSubmit: () => void;
  /** The last message that was sent, which the up arrow restores. */
  readonly last: string | undefined;
  /** Called when files are pasted into a message. */
  readonly onFiles: (files: readonly File[]) => void;
}

/** The field for the input: a message, JSON, or a form. */
export function InputField(props: InputFieldProps) {
  const { typed, assistant, isInvalid, isFolded, onUnfold, onText, onSubmit, onFiles, last } = props;
  const { mode, text, form } = typed;
  if (mode === 'chat') {
    const placeholder = l10n.t('Message {0}', assistant);
    return (
      <MessageField {...{ placeholder, isInvalid, onSubmit, onFiles, last }} value={text} onInput={onText} />
    );
  }
  if (mode === 'json') {
    const label = l10n.t('Input as JSON');
    return <JsonEditor label={label} isLabelHidden value={text} onInput={onText} onSubmit={onSubmit} />;
  }
  if (isFolded) {
    return (
      <button type="button" class="folded" aria-expanded={false} onClick={onUnfold}>
        <Icon name="chevron-right" /> {l10n.t('Edit Input')}
      </button>
    );
  }
  return form === undefined ? null : <InputForm {...props} form={form} />;
}

function InputForm({
  form,
  typed,
  problems,
  onForm,
  onSubmit,
}: InputFieldProps & { readonly form: NonNullable<Typed['form']> }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it handles the keys of its fields
    <div
      class="form-scroll"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        onSubmit();
      }}
    >
      <SchemaForm field={form} draft={typed.draft} problems={problems} leadsToProblem onChange={onForm} />
    </div>
  );
}
