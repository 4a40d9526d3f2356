/**
 * Graphs behind `/mcp` for third-party clients. Some have the names of tools that the scenarios of
 * `@modelcontextprotocol/conformance` call: a tool that says something, fails or asks can be a graph.
 */
const GRAPHS = `
import { AIMessage } from '@langchain/core/messages';
import { Annotation, END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ asks: Annotation<any[]>, answers: Annotation<any[]>, name: Annotation<string> });
const make = (run: (state: any, config: any) => any) =>
  new StateGraph(State).addNode('run', run).addEdge(START, 'run').addEdge('run', END).compile();
const ask = (...forms: Record<string, { type: string }>[]) =>
  make(() => ({
    answers: forms.map((properties, at) =>
      interrupt({
        mode: 'form',
        message: 'Question ' + (at + 1),
        requestedSchema: { type: 'object', properties, required: Object.keys(properties) },
      }),
    ),
  }));

export const asks = make(({ asks }) => ({ answers: asks.map((each: unknown) => interrupt(each)) }));
export const chat = new StateGraph(MessagesAnnotation)
  .addNode('say', ({ messages }) => ({ messages: [new AIMessage('You said: ' + messages.at(-1)?.text)] }))
  .addEdge(START, 'say')
  .addEdge('say', END)
  .compile();
/** Waits until its run is canceled, but only on request, because scenarios call every tool that they find. */
export const sleeps = make(({ name }, { signal }) =>
  name === 'forever'
    ? new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    : {},
);
export const fails = make(() => {
  throw new Error('on purpose');
});

export const greet = make(({ name }) => ({ answers: ['Hello, ' + name] }));
export const asks_name = ask({ name: { type: 'string' } });
export const confirms = ask({ ok: { type: 'boolean' } });
export const two_rounds = ask({ name: { type: 'string' } }, { color: { type: 'string' } });
`;

const TOOLS = {
  asks: 'asks',
  chat: 'chat',
  sleeps: 'sleeps',
  fails: 'fails',
  test_simple_text: 'greet',
  test_error_handling: 'fails',
  test_input_required_result_elicitation: 'asks_name',
  test_input_required_result_request_state: 'confirms',
  test_input_required_result_tampered_state: 'confirms',
  test_input_required_result_multi_round: 'two_rounds',
};

/** The files of a project with these graphs. */
export const mcpGraphs = {
  'mcp.ts': GRAPHS,
  'langgraph.json': JSON.stringify({
    node_version: '20',
    graphs: Object.fromEntries(Object.entries(TOOLS).map(([tool, name]) => [tool, `./mcp.ts:${name}`])),
  }),
};
