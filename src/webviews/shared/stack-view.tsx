import './stack-view.css';
import * as l10n from '@vscode/l10n';
import { Fragment } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { CopyButton } from './copy-button.tsx';
import { MAX_ERROR_LENGTH, type StackPlace, stackParts, stackSections } from './stack.ts';

interface StackProps {
  readonly text: string;
  /** @returns whether the place could be shown. */
  readonly onOpen: (place: StackPlace) => Promise<boolean>;
}

/** A stack whose lines link to the source; frames of packages are collapsed. */
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long text has to be scrolled by keyboard */}
      <pre class="stack" tabIndex={0}>
        {sections.map((section, index) => (
          <Fragment key={index}>
            {section.isFramework && section.lines > 1 && !isWhole ? (
              <button type="button" class="link folded-frames" onClick={() => setWhole(true)}>
                {l10n.t('{0} framework frames', section.lines)}
              </button>
            ) : (
              <Lines text={section.text} refused={refused} onOpen={open} />
            )}
            {index < sections.length - 1 && '\n'}
          </Fragment>
        ))}
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
  const parts = useMemo(() => stackParts(text), [text]);
  return parts.map(({ text: part, place }, index) =>
    place === undefined || refused.has(place.file) ? (
      part
    ) : (
      <button key={index} type="button" class="link" onClick={() => void onOpen(place)}>
        {part}
      </button>
    ),
  );
}
