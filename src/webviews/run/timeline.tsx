import './timeline.css';
import * as l10n from '@vscode/l10n';
import { useMemo } from 'preact/hooks';
import { Virtualizer } from 'virtua';
import { Icon } from '../shared/icon.tsx';
import type { PanelProps } from './panel-props.ts';
import { RowView } from './rows/row.tsx';
import { hasSeveralSpeakers, type TimelineRow, timelineRows } from './timeline-rows.ts';
import { useScrolling } from './use-scrolling.ts';

/** The newest answers belong to the current run if no later row is of one of these kinds. */
const NEWEST_KINDS: ReadonlySet<TimelineRow['kind']> = new Set(['answers', 'human', 'input', 'end']);

/** The rows of the transcript; only visible ones are in the document. */
export function Timeline({ store, view }: PanelProps) {
  const { transcript, saved, session } = view;
  const rows = useMemo(() => timelineRows(transcript, saved.steps), [transcript, saved.steps]);
  const showsNodes = useMemo(() => hasSeveralSpeakers(transcript.rows), [transcript.rows]);
  const { box, list, isAway, jumpToLatest, onKeyDown, onScroll, onWheel } = useScrolling({
    rows,
    runId: transcript.runId,
    saved: saved.scroll,
    onSave: (scroll) => store.save({ scroll }),
  });
  if (rows.length === 0) return <Empty store={store} view={view} />;
  // The open question stays mounted, so that text in its fields is not lost when the user scrolls away.
  const asked = rows.findLastIndex((row) => row.kind === 'interrupt' && !row.answered);
  const ends = rows.filter((row) => row.kind === 'end');
  const newest = rows.findLast(({ kind }) => NEWEST_KINDS.has(kind));
  const current = transcript.status === 'running' && newest?.kind === 'answers' ? newest : undefined;
  const ended = ends.filter(({ isEarlier }) => !isEarlier).length;
  return (
    <>
      <div
        ref={box}
        onKeyDown={onKeyDown}
        onWheel={onWheel}
        data-ended={ended}
        data-earlier={ends.length - ended}
        class="timeline"
        role="log"
        aria-label={l10n.t('Output')}
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable by keyboard
        tabIndex={0}
      >
        <Virtualizer ref={list} data={rows} onScroll={onScroll} keepMounted={asked < 0 ? [] : [asked]}>
          {(row: TimelineRow) => (
            <RowView
              key={row.id}
              row={row}
              store={store}
              isLive={session?.is_live === true}
              showsNodes={showsNodes}
              isCurrent={row === current}
            />
          )}
        </Virtualizer>
      </div>
      {isAway && (
        <button type="button" class="jump" onClick={jumpToLatest}>
          <Icon name="arrow-down" /> {l10n.t('Jump to Latest')}
        </button>
      )}
    </>
  );
}

function Empty({ store, view }: PanelProps) {
  const { session, problem } = view;
  if (session !== undefined) {
    return (
      <div class="empty">
        <Icon name="comment-discussion-sparkle" />
        <p>
          {session.input === 'chat'
            ? l10n.t('Send a message to start. Tokens, tool calls, and steps stream here.')
            : l10n.t('Enter the input to start. Steps and state stream here.')}
        </p>
      </div>
    );
  }
  if (problem !== undefined) {
    return (
      <div class="empty">
        <Icon name="debug-disconnect" />
        <p>{l10n.t('Could not load the agent.')}</p>
        <vscode-button onClick={() => void store.open()}>{l10n.t('Try Again')}</vscode-button>
      </div>
    );
  }
  return (
    <div class="empty">
      <Icon name="loading" spin />
      <p>{l10n.t('Loading the agent…')}</p>
    </div>
  );
}
