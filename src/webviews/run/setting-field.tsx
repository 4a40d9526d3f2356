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
  readonly save: (text: string) => string | undefined;
}

interface TypedText {
  readonly text: string;
  readonly problem: string | undefined;
  /** Whether the field was left with this text. */
  readonly wasLeft?: boolean;
}

/**
 * A setting in a text field. It is stored at each keystroke, but the field shows the typed text until it is left,
 * because the stored form would lose a comma that was just typed. Text that is not valid stays in the field, and its
 * problem is shown once the field is left, because few texts are valid before they are complete.
 */
export function SettingField(props: SettingFieldProps) {
  const { label, value = '', placeholder, isNumber, save } = props;
  const id = useId();
  const [typed, setTyped] = useState<TypedText>();
  const problem = typed && !typed.wasLeft ? undefined : (typed?.problem ?? props.problem);
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
        onInput={({ currentTarget: { value: text } }) => setTyped({ text, problem: save(text.trim()) })}
        onBlur={() => setTyped(typed?.problem === undefined ? undefined : { ...typed, wasLeft: true })}
      />
      <p id={`${id}-problem`} class="invalid setting-problem" role="alert">
        {problem}
      </p>
    </>
  );
}
