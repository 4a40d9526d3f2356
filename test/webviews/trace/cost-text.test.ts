import assert from 'node:assert/strict';
import type { Span } from '../../../src/extension/panels/trace/messages.ts';
import { spanCostText } from '../../../src/webviews/trace/cost-text.ts';
import { traceOf } from '../../../src/webviews/trace/waterfall.ts';

describe('the cost of a trace in its panel', () => {
  /** The text for the cost of a trace with calls at these costs; undefined for a call without a price. */
  function textOf(...costs: (number | undefined)[]): string {
    const span = { name: 'span', status: 'success', start: 0, end: 1 } as const;
    const root: Span = { ...span, id: 'root', type: 'chain' };
    const calls = costs.map(
      (cost, at): Span => ({
        ...{ ...span, id: `call-${at}`, parent: 'root', type: 'llm', tokens: 10 },
        ...(cost !== undefined && { cost }),
      }),
    );
    const trace = traceOf([root, ...calls]);
    return spanCostText(trace.root ?? assert.fail());
  }

  it('is the sum of its calls, and says which have no price', () => {
    assert.equal(textOf(0.25, 0.5), '$0.75');
    assert.equal(textOf(0.25, undefined), '$0.25 + 1 call without a price');
    assert.equal(textOf(undefined, undefined), 'no price');
    assert.equal(textOf(), '');
  });

  it('is $0 where all calls cost nothing, which is not the same as no price', () => {
    assert.equal(textOf(0, 0), '$0');
    assert.equal(textOf(0, undefined), '$0 + 1 call without a price');
  });
});
