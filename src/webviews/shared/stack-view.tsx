import './stack-view.css';
import * as l10n from '@vscode/l10n';
import { Fragment } from 'preact';
import { useContext, useMemo, useState } from 'preact/hooks';
import { CopyButton } from './copy-button.tsx';
import { OpenFolders } from './open-folders.ts';
import { MAX_ERROR_LENGTH, type StackPlace, stackParts, stackSections } from './stack.ts';

interface StackProps {
  readonly text: string;
  /** @returns whether the place could be shown. */
  readonly onOpen: (place: StackPlace) => Promise<boolean>;
}

/**
 * A stack whose lines link to the source, with paths relative to the open folder. Frames of packages are collapsed. The
 * copy button copies the stack unchanged.
 */
export function Stack({ text, onOpen }: StackProps) {
  const [refused, setRefused] = useState<ReadonlySet<string>>(new Set());
  const [isWhole, setWhole] = useState(false);
  const sections = useMemo(() => stackSections(text.slice(0, MAX_ERROR_LENGTH)), [text]);
  const open = async (place: StackPlace) => {
    if (!(await onOpen(place))) setRefused(new Set([...refused, place.file]));
  };
  return (
    <div class="copyable">
      <CopyButton kind="error" text={() => text} label={l10n.t('Copy Stack')} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls long text */}
      <pre class="stack" tabIndex={0}>
        {sections.map((section, index) => (
          <Fragment key={index}>
            {section.isFramework && section.frames > 1 && !isWhole ? (
              <button type="button" class="link folded-frames" onClick={() => setWhole(true)}>
                {l10n.t('{0} framework frames', section.frames)}
              </button>
            ) : (
              <Lines text={section.text} refused={refused} onOpen={open} />
            )}
            {index < sections.length - 1 && '\n'}
          </Fragment>
        ))}
        {text.length > MAX_ERROR_LENGTH && '…'}
      </pre>
    </div>
  );
}

interface LinesProps {
  readonly text: string;
  /** Files that could not be shown. */
  readonly refused: ReadonlySet<string>;
  readonly onOpen: (place: StackPlace) => Promise<void>;
}

function Lines({ text, refused, onOpen }: LinesProps) {
  const folders = useContext(OpenFolders);
  const parts = useMemo(() => stackParts(text, folders), [text, folders]);
  return parts.map(({ text: part, place }, index) =>
    place === undefined || refused.has(place.file) ? (
      part
    ) : (
      <button
        key={index}
        type="button"
        class="link"
        title={l10n.t('Go to {0}', `${place.file}:${place.line}`)}
        onClick={() => void onOpen(place)}
      >
        {part}
      </button>
    ),
  );
}
