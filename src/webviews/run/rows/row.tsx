import './row.css';
import type { ComponentType } from 'preact';
import { memo } from 'preact/compat';
import { ErrorBoundary } from '../../shared/error-boundary.tsx';
import type { Row } from '../transcript-model.ts';
import { AnswersRow } from './answers.tsx';
import { CustomEvent, Input, OtherEvent, State, Step } from './data-rows.tsx';
import { Failure } from './failure.tsx';
import { InterruptCard } from './interrupt.tsx';
import { HumanMessage, Note } from './message.tsx';
import type { FolderRowProps, RowViewProps } from './row-props.ts';
import { RunEnd } from './run-end.tsx';
import { Stopped } from './stopped.tsx';

/** One row of the timeline. */
export const RowView: ComponentType<RowViewProps> = memo(function RowView({
  row,
  store,
  isLive,
  showsNodes,
  isCurrent,
}: RowViewProps) {
  return (
    <div class={`row ${row.kind === 'answers' ? 'ai' : row.kind}`}>
      <ErrorBoundary of={row}>
        {row.kind === 'answers' ? (
          <AnswersRow
            answers={row}
            store={store}
            showsNodes={showsNodes}
            isCurrent={isCurrent}
            InnerRow={RowView}
          />
        ) : (
          <Content row={row} store={store} isLive={isLive} />
        )}
      </ErrorBoundary>
    </div>
  );
});

type ContentProps = FolderRowProps<Exclude<Row['kind'], 'ai'>>;

function Content({ row, store, isLive }: ContentProps) {
  switch (row.kind) {
    case 'human':
      return <HumanMessage row={row} store={store} />;
    case 'note':
      return <Note row={row} store={store} />;
    case 'input':
      return <Input row={row} store={store} />;
    case 'step':
      return <Step row={row} store={store} />;
    case 'custom':
      return <CustomEvent row={row} store={store} />;
    case 'event':
      return <OtherEvent row={row} store={store} />;
    case 'stopped':
      return <Stopped row={row} store={store} isLive={isLive} />;
    case 'state':
      return <State row={row} store={store} />;
    case 'interrupt':
      return <InterruptCard row={row} store={store} />;
    case 'error':
      return <Failure row={row} store={store} />;
    case 'end':
      return <RunEnd row={row} store={store} />;
  }
}
