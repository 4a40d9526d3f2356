import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describeSubgraphs, descriptionsIn } from '../../../../src/runtime/node/schemas/subgraph-sources.ts';
import type { TypeScript } from '../../../../src/runtime/node/typescript/typescript-api.ts';

const ts: TypeScript = createRequire(import.meta.url)('typescript-5');
const parse = (text: string) => ts.createSourceFile('graph.ts', text, ts.ScriptTarget.ESNext);

/** The names and graphs that are described in a copy of the source. */
function describedIn(text: string): string[] {
  const copy = parse(describeSubgraphs(ts, parse(text), '/types.ts'));
  return descriptionsIn(ts, copy).map(({ call }) =>
    (call.arguments ?? []).map((argument) => argument.getText(copy)).join(': '),
  );
}

describe('the sources of graphs that are nodes of others', () => {
  it('have each of them described, in whichever way it is added', () => {
    assert.deepEqual(describedIn("builder.addNode('child', inner).addNode(NAME, graphs.other)"), [
      "'child': inner",
      'NAME: graphs.other',
    ]);
    assert.deepEqual(describedIn("builder.addNode({ one, 'two': makeTwo(), three: () => ({}) })"), [
      '"one": one',
      '"two": makeTwo()',
    ]);
    assert.deepEqual(describedIn("builder.addNode([['one', one], ['two', async () => ({})]])"), [
      "'one': one",
    ]);
    assert.deepEqual(describedIn("builder.addNode('asks', () => inner.invoke({}), { subgraphs: [inner] })"), [
      "'asks': inner",
    ]);
  });

  it('describe graphs that are created where they are added, and the nodes that are added to them', () => {
    const described = describedIn(
      "builder.addNode('child', new StateGraph(State).addNode('grandchild', inner).compile())",
    );
    assert.ok(described.includes("'grandchild': inner"));
    assert.ok(described.some((one) => one.startsWith("'child': new StateGraph(State)")));
  });

  it('keep their value, and leave the rest of the program unchanged', () => {
    const text =
      "const graph = builder.addNode({ inner }).addNode('speak', (state) => ({ said: state.word }));";
    const copy = describeSubgraphs(ts, parse(text), '/types.ts');
    assert.ok(copy.includes('.addNode({ inner: (__agent_harbor_describe__("inner", inner), inner) })'));
    assert.ok(copy.includes(".addNode('speak', (state) => ({ said: state.word }));"));
  });
});
