import assert from 'node:assert/strict';
import { z } from 'zod';
import { type GraphProject, graphProject } from '../support/projects.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/wait.ts';
import { CrashingServer } from './crashing-server.ts';

const GRAPH = `
import { Annotation, END, interrupt, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ answers: Annotation<any[]> });
export const asks = new StateGraph(State)
  .addNode('ask', () => ({ answers: [interrupt('Name?'), interrupt('Color?')] }))
  .addEdge(START, 'ask')
  .addEdge('ask', END)
  .compile();
`;
const TASKS = { 'io.modelcontextprotocol/tasks': {} };

const Asked = z.looseObject({ inputRequests: z.record(z.string(), z.looseObject({})) });
const Round = Asked.extend({ resultType: z.literal('input_required'), requestState: z.string() });
const Task = z.looseObject({ taskId: z.string(), status: z.string() });
const Waiting = z.looseObject({
  structuredContent: z.looseObject({ __resume__: z.looseObject({ thread_id: z.uuid() }) }),
});
const Result = z.looseObject({ structuredContent: z.looseObject({ answers: z.array(z.unknown()) }) });

describe('questions of an interrupt, asked over MCP by a server that is then killed', function () {
  this.timeout(120_000);
  let project: GraphProject;
  before(async () => {
    project = await graphProject({
      line: 'langgraph-1.7',
      empty: true,
      files: {
        'asks.ts': GRAPH,
        'langgraph.json': JSON.stringify({ node_version: '20', graphs: { asks: './asks.ts:asks' } }),
      },
    });
  });
  after(() => project?.[Symbol.asyncDispose]());

  /** A request of the modern era, by a client that can ask its user. */
  async function send(
    { url }: CrashingServer,
    method: string,
    params: { readonly [name: string]: unknown; readonly name?: string },
    extensions: object = {},
  ): Promise<unknown> {
    const version = '2026-07-28';
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': version,
        'mcp-method': method,
        ...(params.name === undefined ? {} : { 'mcp-name': params.name }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: {
          ...params,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': version,
            'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, extensions },
          },
        },
      }),
    });
    const answer: unknown = await response.json();
    const { data } = z.looseObject({ result: z.looseObject({}) }).safeParse(answer);
    assert.ok(data !== undefined, JSON.stringify(answer));
    return data.result;
  }

  /** A call by a client of an earlier version. */
  async function callAsBefore({ url }: CrashingServer, given: object): Promise<unknown> {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'asks', arguments: given },
      }),
    });
    return z.looseObject({ result: z.unknown() }).parse(await response.json()).result;
  }

  const answering = ({ inputRequests }: z.output<typeof Asked>, response: string) =>
    Object.fromEntries(
      Object.keys(inputRequests).map((key) => [key, { action: 'accept', content: { response } }]),
    );

  it('are answered at the next one, in further rounds, as tasks and by arguments', async () => {
    await using data = await temporaryFolder();
    let server = await CrashingServer.start(data.path, project.folder);
    assert.ok(server !== undefined);
    try {
      const fresh = server;
      await eventually(
        'the graphs are loaded',
        () => send(fresh, 'tools/list', {}),
        (listed) => z.looseObject({ tools: z.array(z.unknown()).nonempty() }).safeParse(listed).success,
        60_000,
      );
      const call = { name: 'asks', arguments: {} };
      const name = Round.parse(await send(server, 'tools/call', call));
      const { taskId } = Task.parse(await send(server, 'tools/call', call, TASKS));
      const task = async (at: CrashingServer) => send(at, 'tasks/get', { taskId }, TASKS);
      const taskName = Asked.parse(await task(server));
      const { thread_id } = Waiting.parse(await callAsBefore(server, {})).structuredContent.__resume__;
      const resume = (value: string) => ({ __resume__: { thread_id, value } });

      server.kill();
      await server.gone;
      const next = await CrashingServer.start(data.path, project.folder);
      assert.ok(next !== undefined);
      server = next;
      assert.deepEqual(Asked.parse(await task(server)).inputRequests, taskName.inputRequests);
      const color = Round.parse(
        await send(server, 'tools/call', {
          ...call,
          requestState: name.requestState,
          inputResponses: answering(name, 'Ada'),
        }),
      );
      await send(server, 'tasks/update', { taskId, inputResponses: answering(taskName, 'Ada') }, TASKS);
      const isNew = (asked: z.output<typeof Asked> | undefined) =>
        asked !== undefined && !Object.keys(taskName.inputRequests).some((key) => key in asked.inputRequests);
      const taskColor = await eventually(
        'the task asks the next question',
        async () => Asked.safeParse(await task(next)).data,
        isNew,
      );
      Waiting.parse(await callAsBefore(server, resume('Ada')));

      const last = {
        ...call,
        requestState: color.requestState,
        inputResponses: answering(color, 'blue'),
      };
      const answers = ['Ada', 'blue'];
      const ended = async (result: unknown) => Result.parse(result).structuredContent.answers;
      assert.deepEqual(await ended(await send(server, 'tools/call', last)), answers);
      assert.deepEqual(await ended(await callAsBefore(server, resume('blue'))), answers);
      assert.ok(taskColor !== undefined);
      await send(server, 'tasks/update', { taskId, inputResponses: answering(taskColor, 'blue') }, TASKS);
      const done = await eventually(
        'the task is completed',
        async () => Task.extend({ result: z.unknown() }).parse(await task(next)),
        ({ status }) => status === 'completed',
      );
      assert.deepEqual(await ended(done.result), answers);
    } finally {
      await server.end();
    }
  });
});
