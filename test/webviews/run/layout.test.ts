import assert from 'node:assert/strict';
import type { Diagram } from '../../../src/extension/panels/run/messages.ts';
import { layoutOf } from '../../../src/webviews/run/side/layout.ts';

const edge = (source: string, target: string) => ({ source, target, conditional: false, label: undefined });

/** One edge leads past all the other nodes. */
const diagram: Diagram = {
  nodes: [
    { id: 'start', name: 'start', kind: 'start' },
    ...['plan', 'retrieve', 'judge', 'approve', 'decline', 'answer'].map(
      (id) => ({ id, name: id, kind: 'node' }) as const,
    ),
    { id: 'end', name: 'end', kind: 'end' },
  ],
  edges: [
    edge('start', 'plan'),
    edge('plan', 'retrieve'),
    edge('retrieve', 'judge'),
    edge('judge', 'approve'),
    edge('judge', 'decline'),
    edge('judge', 'answer'),
    edge('approve', 'plan'),
    edge('approve', 'decline'),
    edge('approve', 'answer'),
    edge('decline', 'end'),
    edge('answer', 'end'),
    edge('plan', 'end'),
  ],
};

describe('the diagram of a graph', () => {
  it('has room for every node and edge, even for edges that run beside all the others', () => {
    const { width, height, nodes, edges } = layoutOf(diagram);
    for (const { x, y, width: wide, height: high } of nodes)
      assert.ok(x - wide / 2 >= 0 && x + wide / 2 <= width && y - high / 2 >= 0 && y + high / 2 <= height);
    for (const { source, target, points } of edges)
      for (const { x, y } of points)
        assert.ok(
          x >= 0 && x <= width && y >= 0 && y <= height,
          `${source} → ${target} at ${x}, ${y} of ${width} × ${height}`,
        );
  });
});
