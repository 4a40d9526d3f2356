import './row.css';
import { memo } from 'preact/compat';
import { ErrorBoundary } from '../../shared/error-boundary.tsx';
import { CustomEvent, Input, OtherEvent, State, Step } from './data.tsx';
import { Failure } from './failure.tsx';
import { InterruptCard } from './interrupt.tsx';
import { AiMessage, HumanMessage, Note } from './message.tsx';
import type { PlacedRowProps } from './row-props.ts';
import { RunEnd } from './run-end.tsx';
import { Stopped } from './stopped.tsx';

/** One row of the timeline. */
export const RowView = memo(function RowView({ row, store, isLive }: PlacedRowProps) {
  return (
    <div class={`row ${row.kind}`}>
      <ErrorBoundary of={row}>
        <Content row={row} store={store} isLive={isLive} />
      </ErrorBoundary>
    </div>
  );
});

function Content({ row, store, isLive }: PlacedRowProps) {
  switch (row.kind) {
    case 'human':
      return <HumanMessage row={row} store={store} />;
    case 'ai':
      return <AiMessage row={row} store={store} />;
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
