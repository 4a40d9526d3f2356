import './graph-node.css';
import * as l10n from '@vscode/l10n';
import type { NodeProgress } from '../transcript-model.ts';
import type { Heat } from './heat.ts';
import { type PlacedNode, shortName } from './layout.ts';

/** The kind of a breakpoint. Each kind has a mark that looks like VS Code's. */
export type BreakpointKind = 'plain' | 'conditional' | 'log';

export interface NodeMarks {
  readonly progress: NodeProgress | undefined;
  readonly stopsBefore: boolean;
  readonly stopsAfter: boolean;
  readonly breakpoint: BreakpointKind;
  /** Whether other nodes have run, but not this one. */
  readonly isUnrun: boolean;
  readonly heat: Heat | undefined;
}

interface GraphNodeProps {
  readonly node: PlacedNode;
  readonly marks: NodeMarks;
  /** Whether the Tab key moves the focus to this node. Arrow keys move it on from there. */
  readonly isReachable: boolean;
  readonly isSelected: boolean;
  readonly onFocus: () => void;
  readonly onSelect: () => void;
  readonly onOpen: () => void;
  readonly onKey: (event: KeyboardEvent) => void;
}

/** A node of the diagram. A click shows its input and output, and a double click opens its source. */
export function GraphNode({ node, marks, isReachable, isSelected, ...on }: GraphNodeProps) {
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
  const state = marks.progress?.state ?? 'idle';
  const done = marks.progress?.done ?? 0;
  const { heat } = marks;
  const classes = [
    'node',
    state,
    ...(marks.isUnrun ? ['unrun'] : []),
    ...(heat === undefined ? [] : ['heated']),
  ];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a diagram has no buttons of its own
    <g
      class={[...classes, ...(isSelected ? ['selected'] : [])].join(' ')}
      style={heat && `--heat: ${heat.share.toFixed(2)}`}
      data-id={id}
      transform={place}
      role="button"
      tabIndex={isReachable ? 0 : -1}
      aria-label={labelOf(name, state, done, marks)}
      aria-pressed={isSelected}
      onFocus={on.onFocus}
      onClick={on.onSelect}
      onDblClick={on.onOpen}
      onKeyDown={on.onKey}
    >
      <title>{l10n.t('{0}: Show Input and Output', name)}</title>
      <rect width={width} height={height} rx="6" />
      <text class="sign" x="14" y={height / 2} dy="0.35em">
        {signOf(state)}
      </text>
      <text x={width / 2} y={heat === undefined ? height / 2 : 11} dy="0.35em">
        {shortName(name)}
      </text>
      {/* Screen readers read the texts as separate words. */}
      {heat !== undefined && ' '}
      {heat !== undefined && (
        <text class="heat" x={width / 2} y="23" dy="0.35em">
          {heat.text}
        </text>
      )}
      {marks.stopsBefore && <Mark x={width / 2} y={0} kind={marks.breakpoint} />}
      {marks.stopsAfter && <Mark x={width / 2} y={height} kind={marks.breakpoint} />}
      {done > 1 && ' '}
      {done > 1 && (
        <text class="times" x={width - 6} y={height / 2} dy="0.35em">
          ×{done}
        </text>
      )}
    </g>
  );
}

function Mark({ x, y, kind }: { readonly x: number; readonly y: number; readonly kind: BreakpointKind }) {
  return kind === 'log' ? (
    <path class="breakpoint" d={`M${x},${y - 5}l5,5l-5,5l-5,-5z`} />
  ) : (
    <>
      <circle class="breakpoint" cx={x} cy={y} r="4.5" />
      {kind === 'conditional' && <path class="condition" d={`M${x - 2},${y - 1.2}h4m-4,2.4h4`} />}
    </>
  );
}

/** A character for the state of a node, because not everyone can distinguish the colors. */
function signOf(state: NodeProgress['state']): string {
  return { idle: '', running: '▶', done: '✓', failed: '✕', waiting: '❚❚', paused: '❚❚' }[state];
}

function labelOf(name: string, state: NodeProgress['state'], done: number, marks: NodeMarks): string {
  // The accessible name starts with the visible label, verbatim (WCAG 2.5.3).
  const parts = [
    [name, marks.heat?.text, done > 1 ? `×${done}` : undefined]
      .filter((part) => part !== undefined)
      .join(' '),
    {
      idle: undefined,
      running: l10n.t('running'),
      done: l10n.t('done'),
      failed: l10n.t('failed'),
      waiting: l10n.t('waiting for input'),
      paused: l10n.t('paused before'),
    }[state],
    marks.isUnrun ? l10n.t('not run') : undefined,
    marks.stopsBefore ? breakpointText(marks.breakpoint, 'before') : undefined,
    marks.stopsAfter ? breakpointText(marks.breakpoint, 'after') : undefined,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

function breakpointText(kind: BreakpointKind, where: 'before' | 'after'): string {
  if (where === 'before') {
    if (kind === 'log') return l10n.t('logpoint before');
    return kind === 'conditional' ? l10n.t('conditional breakpoint before') : l10n.t('breakpoint before');
  }
  if (kind === 'log') return l10n.t('logpoint after');
  return kind === 'conditional' ? l10n.t('conditional breakpoint after') : l10n.t('breakpoint after');
}
