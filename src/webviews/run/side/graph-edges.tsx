import './graph-edges.css';
import { type Layout, pathOf } from './layout.ts';
import type { ShownEdge } from './observed-diagram.ts';

interface GraphEdgesProps {
  readonly placed: Layout;
  readonly edges: readonly ShownEdge[];
}

/**
 * The lines between the nodes, with the number of times they were taken, and the boxes of subgraphs behind them.
 */
export function GraphEdges({ placed, edges }: GraphEdgesProps) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
    <g aria-hidden="true">
      {placed.groups.map(({ id, name, x, y, width, height }) => (
        <g key={id} class="group" transform={`translate(${x - width / 2},${y - height / 2})`}>
          <rect width={width} height={height} rx="8" />
          <text x="8" y="14">
            {name}
          </text>
        </g>
      ))}
      {placed.edges.map(({ id, points, labelAt }, index) => {
        const edge = edges[index];
        const text = edge?.text;
        return (
          <g key={id} class={classOf(edge)}>
            <path d={pathOf(points)} marker-end="url(#arrow)" />
            {text !== undefined && labelAt !== undefined && (
              <text x={labelAt.x} y={labelAt.y} dy="0.35em">
                {text}
              </text>
            )}
          </g>
        );
      })}
    </g>
  );
}

function classOf(edge: ShownEdge | undefined): string {
  const classes = ['edge'];
  if (edge?.conditional === true && edge.isDeclared) classes.push('conditional');
  if (edge?.isDeclared === false) classes.push('undeclared');
  if (edge?.isTaken === true) classes.push('taken');
  return classes.join(' ');
}
