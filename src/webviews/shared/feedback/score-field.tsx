import * as l10n from '@vscode/l10n';
import { Thumb } from './thumb.tsx';

interface ScoreFieldProps {
  /** The ID of the number field, for its label. */
  readonly id: string;
  readonly value: string;
  readonly isInvalid: boolean;
  readonly onInput: (score: string) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** A field for a score: a thumb up for 1, a thumb down for 0, or any number. */
export function ScoreField({ id, value, isInvalid, onInput, onKeyDown }: ScoreFieldProps) {
  const toggle = (score: string) => onInput(value === score ? '' : score);
  return (
    <div class="scores">
      <Thumb icon="thumbsup" label={l10n.t('Good')} pressed={value === '1'} onClick={() => toggle('1')} />
      <Thumb icon="thumbsdown" label={l10n.t('Bad')} pressed={value === '0'} onClick={() => toggle('0')} />
      <input
        id={id}
        type="text"
        inputMode="decimal"
        value={value}
        placeholder={l10n.t('or enter a score')}
        aria-invalid={isInvalid}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
    </div>
  );
}
