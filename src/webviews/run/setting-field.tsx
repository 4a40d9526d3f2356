import './setting-field.css';
import { useId, useState } from 'preact/hooks';

interface SettingFieldProps {
  readonly label: string;
  /** The text of the setting. */
  readonly value: string | undefined;
  readonly placeholder?: string;
  /** The problem with the setting, if it is only known once the setting is stored. */
  readonly problem?: string | undefined;
  readonly isNumber?: boolean;
  /** Stores the setting. @returns what is wrong with the text, if it cannot be stored */
  readonly store: (text: string) => string | undefined;
}

/**
 * A setting that is typed. It is stored with each key, but its text stays as it is until the field is left,
 * and longer if it is not valid: written as it is stored, it would lose the comma that was just typed.
 */
export function SettingField(props: SettingFieldProps) {
  const { label, value = '', placeholder, isNumber, store } = props;
  const id = useId();
  const [typed, type] = useState<{ readonly text: string; readonly problem: string | undefined }>();
  const problem = typed?.problem ?? props.problem;
  return (
    <>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        inputMode={isNumber ? 'numeric' : undefined}
        value={typed?.text ?? value}
        placeholder={placeholder}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-problem`}
        onInput={({ currentTarget: { value: text } }) => type({ text, problem: store(text.trim()) })}
        onBlur={() => typed?.problem === undefined && type(undefined)}
      />
      <p id={`${id}-problem`} class="invalid setting-problem" role="alert">
        {problem}
      </p>
    </>
  );
}
