import './error-title.css';
import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { Icon } from './icon.tsx';
import { innermostPlace, MAX_ERROR_LENGTH, type StackPlace } from './stack.ts';

interface ErrorTitleProps {
  readonly title: string;
  /** The error with its stack, or the stack alone. */
  readonly stack: string;
  /** @returns whether the place could be shown. */
  readonly onOpen: (place: StackPlace) => Promise<boolean>;
}

/** The title of an error, with a link to the failed line of the user's code, which may be far down in the stack. */
export function ErrorTitle({ title, stack, onOpen }: ErrorTitleProps) {
  const [refused, setRefused] = useState<string>();
  const place = innermostPlace(stack.slice(0, MAX_ERROR_LENGTH));
  const open = async (to: StackPlace) => {
    if (!(await onOpen(to))) setRefused(to.file);
  };
  return (
    <p class="title error-title">
      <Icon name="error" /> {title}
      {place !== undefined && place.file !== refused && (
        <button
          type="button"
          class="link"
          title={l10n.t('Go to {0}', `${place.file}:${place.line}`)}
          onClick={() => void open(place)}
        >
          {`${place.file.split(/[\\/]/).at(-1)}:${place.line}`}
        </button>
      )}
    </p>
  );
}
