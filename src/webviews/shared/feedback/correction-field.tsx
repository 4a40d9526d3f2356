import * as l10n from '@vscode/l10n';
import { JsonEditor } from '../json-editor.tsx';

interface CorrectionFieldProps {
  /** JSON; undefined until somebody begins to write one. */
  readonly value: string | undefined;
  /** What came out, for a correction to begin with. */
  readonly output: unknown;
  readonly problem: string | undefined;
  readonly onInput: (correction: string) => void;
  readonly onSubmit: () => void;
}

/** What the output should have been, on demand. */
export function CorrectionField({ value, output, problem, onInput, onSubmit }: CorrectionFieldProps) {
  if (value === undefined) {
    const begin = () => onInput(JSON.stringify(correctable(output), undefined, 2));
    return (
      <button type="button" class="link" onClick={begin}>
        {l10n.t('Write what it should have been')}
      </button>
    );
  }
  const label = l10n.t('What it should have been, as JSON');
  return <JsonEditor {...{ label, value, problem, onInput, onSubmit }} />;
}

/** More of an output is not offered for correction. */
const longestOutput = 20_000;

function correctable(output: unknown): unknown {
  const isEmpty = output === undefined || output === null;
  const isLong = !isEmpty && (JSON.stringify(output)?.length ?? 0) > longestOutput;
  return isEmpty || isLong ? { output: '' } : typeof output === 'object' ? output : { output };
}
