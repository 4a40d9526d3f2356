import './graph-node.css';
import * as l10n from '@vscode/l10n';
import type { NodeLight } from '../transcript-model.ts';
import { type PlacedNode, shortName } from './layout.ts';

export interface NodeMarks {
  readonly light: NodeLight | undefined;
  readonly stopsBefore: boolean;
  readonly stopsAfter: boolean;
}

interface GraphNodeProps {
  readonly node: PlacedNode;
  readonly marks: NodeMarks;
  /** Whether the Tab key comes here; arrow keys go on from there. */
  readonly isReachable: boolean;
  readonly onFocus: () => void;
  readonly onOpen: () => void;
  readonly onKey: (event: KeyboardEvent) => void;
}

/** A node of the drawing: a button that leads to its source. */
export function GraphNode({ node, marks, isReachable, onFocus, onOpen, onKey }: GraphNodeProps) {
  const { id, name, kind, x, y, width, height } = node;
  const place = `translate(${x - width / 2},${y - height / 2})`;
  if (kind !== 'node') {
    return (
      // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
      <g class="terminal" transform={place} aria-hidden="true">
        <rect width={width} height={height} rx={height / 2} />
        <text x={width / 2} y={height / 2} dy="0.35em">
          {kind === 'start' ? l10n.t('start') : l10n.t('end')}
        </text>
      </g>
    );
  }
  const state = marks.light?.state ?? 'idle';
  const done = marks.light?.done ?? 0;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing has no buttons of its own
    <g
      class={`node ${state}`}
      data-id={id}
      transform={place}
      role="button"
      tabIndex={isReachable ? 0 : -1}
      aria-label={labelOf(name, state, done, marks)}
      onFocus={onFocus}
      onClick={onOpen}
      onKeyDown={onKey}
    >
      <title>{l10n.t('{0}: go to the source', name)}</title>
      <rect width={width} height={height} rx="6" />
      <text class="sign" x="14" y={height / 2} dy="0.35em">
        {signOf(state)}
      </text>
      <text x={width / 2} y={height / 2} dy="0.35em">
        {shortName(name)}
      </text>
      {marks.stopsBefore && <circle class="breakpoint" cx={width / 2} cy="0" r="4" />}
      {marks.stopsAfter && <circle class="breakpoint" cx={width / 2} cy={height} r="4" />}
      {done > 1 && (
        <text class="times" x={width - 6} y={height / 2} dy="0.35em">
          ×{done}
        </text>
      )}
    </g>
  );
}

/** Colours alone would not tell everybody. */
function signOf(state: NodeLight['state']): string {
  return { idle: '', running: '▶', done: '✓', failed: '✕', waiting: '❚❚' }[state];
}

function labelOf(name: string, state: NodeLight['state'], done: number, marks: NodeMarks): string {
  const parts = [
    name,
    {
      idle: undefined,
      running: l10n.t('running'),
      done: done > 1 ? l10n.t('done {0} times', done) : l10n.t('done'),
      failed: l10n.t('failed'),
      waiting: l10n.t('waiting for input'),
    }[state],
    marks.stopsBefore ? l10n.t('breakpoint before') : undefined,
    marks.stopsAfter ? l10n.t('breakpoint after') : undefined,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}
