import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type HttpPeer, httpPeer } from '../support/http-peer.ts';
import { graphProject } from '../support/projects.ts';
import {
  type PythonProject,
  pythonProject,
  pythonRuntime,
  requirePython,
} from '../support/python-projects.ts';
import { RuntimeHost } from '../support/runtime/runtime-host.ts';
import { eventually } from '../support/wait.ts';

const RECORD = { exchanges: { mode: 'record', seed: 'seed' } } as const;
const REPLAY = { exchanges: { mode: 'replay', seed: 'seed' } } as const;

/** A graph that sends two requests without waiting for them, and ends when both have arrived. */
const NODE_GRAPH = `
import http from 'node:http';
import { Annotation, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ url: Annotation() });
export const graph = new StateGraph(State)
  .addNode('send', async ({ url }) => {
    fetch(url + '/slow/fetch').catch(() => {});
    http.get(url + '/slow/http').on('error', () => {});
    await (await fetch(url + '/both-arrived')).text();
    return {};
  })
  .addEdge('__start__', 'send')
  .compile();
`;

const PYTHON_GRAPH = `
import io
import random
from typing import Any, TypedDict

import urllib3
from langgraph.graph import START, StateGraph

SPANS = {"__name__": "opentelemetry.sdk.trace.id_generator", "random": random}
exec("def span_id(): return random.getrandbits(64)", SPANS)
BODIES = [
    lambda: "text",
    lambda: io.BytesIO(b"file"),
    lambda: io.StringIO("text file"),
    lambda: (piece for piece in (b"gene", "rator")),
    lambda: bytearray(b"array"),
]
DRAWS = [
    lambda: random.random(),
    lambda: random.getrandbits(64),
    lambda: random.randbytes(8).hex(),
    lambda: random.normalvariate(0, 1),
    lambda: random.expovariate(1),
    lambda: random.triangular(),
]


class State(TypedDict):
    url: str
    answers: Any
    drawn: Any
    span_id: str


def send(state):
    pool = urllib3.PoolManager(retries=False)
    return {"answers": [pool.request("POST", state["url"], body=make()).data.decode() for make in BODIES]}


def draw(state):
    return {"drawn": [make() for make in DRAWS], "span_id": str(SPANS["span_id"]())}


sending = StateGraph(State).add_node("send", send).add_edge(START, "send").compile()
drawing = StateGraph(State).add_node("draw", draw).add_edge(START, "draw").compile()
`;
const BODIES = ['text', 'file', 'text file', 'generator', 'array'];

describe('a recorded run of Node', () => {
  it('keeps requests that have no answer yet when it ends', async () => {
    await using project = await graphProject({
      line: 'langgraph-1.7',
      empty: true,
      files: {
        'send.js': NODE_GRAPH,
        'langgraph.json': JSON.stringify({ graphs: { graph: './send.js:graph' } }),
      },
    });
    const late: ServerResponse[] = [];
    await using peer = await httpPeer(async ({ url }, response) => {
      if (url !== '/both-arrived') return void late.push(response);
      const count = () => peer.seen.filter((seen) => seen.url.startsWith('/slow/')).length;
      await eventually('both have arrived', count, (arrived) => arrived >= 2);
      response.end();
    });
    await using host = new RuntimeHost({ project });
    await host.initialize();
    const run = await host.run('graph', { url: peer.url }, RECORD);
    assert.equal(run.status, 'success', run.error?.stack);
    await eventually(
      'all requests are recorded',
      () => host.exchanges.length,
      (count) => count === 3,
    );
    const message = 'The run ended before there was an answer.';
    assert.deepEqual(
      host.exchanges
        .map(({ request, response, error }) => [request.url.replace(peer.url, ''), response?.status, error])
        .sort(),
      [
        ['/both-arrived', 200, undefined],
        ['/slow/fetch', undefined, { message }],
        ['/slow/http', undefined, { message }],
      ],
    );
    for (const response of late.splice(0)) response.writeHead(204).end();
    await host.run('graph', { url: peer.url }, RECORD);
    const again = host.exchanges.filter(({ run_id }) => run_id === host.exchanges[0]?.run_id);
    assert.equal(again.length, 3, 'answers after the end of the run are not recorded');
  });
});

describe('a recorded run of Python', () => {
  let project: PythonProject;
  let host: RuntimeHost;
  let peer: HttpPeer;

  before(async function () {
    const python = await requirePython(this, 'langgraph-1.2');
    const graphs = { sending: './graphs.py:sending', drawing: './graphs.py:drawing' };
    const files = { 'graphs.py': PYTHON_GRAPH, 'langgraph.json': JSON.stringify({ graphs }) };
    project = await pythonProject({ python, empty: true, files });
    host = new RuntimeHost(pythonRuntime(project));
    await host.initialize();
    peer = await httpPeer(({ body }, response) => {
      response.end(body);
    });
  });
  after(async () => {
    await host?.[Symbol.asyncDispose]();
    await project?.[Symbol.asyncDispose]();
    await peer?.[Symbol.asyncDispose]();
  });

  it('keeps the requests of urllib3 whatever their bodies are, and a replay sends none of them', async () => {
    const input = { url: peer.url };
    const recorded = await host.run('sending', input, RECORD);
    assert.deepEqual(JSON.parse(recorded.state?.values ?? '').answers, BODIES);
    assert.deepEqual(
      host.exchanges.map(({ request }) => request.body?.data),
      BODIES,
    );
    const sent = peer.seen.length;
    host.answerExchange = ({ request }) => {
      const chunks = [`recorded ${request.body?.data}`];
      return { answer: 'recorded', response: { status: 200, headers: [], encoding: 'utf8', chunks } };
    };
    const replayed = await host.run('sending', input, REPLAY);
    assert.deepEqual(
      JSON.parse(replayed.state?.values ?? '').answers,
      BODIES.map((body) => `recorded ${body}`),
    );
    assert.equal(peer.seen.length, sent);
  });

  it('draws the same values from all functions of `random` as its replay', async () => {
    const draw = async (options: typeof RECORD | typeof REPLAY) =>
      JSON.parse((await host.run('drawing', {}, options)).state?.values ?? '');
    const recorded = await draw(RECORD);
    const replayed = await draw(REPLAY);
    assert.deepEqual(replayed.drawn, recorded.drawn);
    assert.notEqual(replayed.span_id, recorded.span_id, 'the spans of OpenTelemetry have IDs of their own');
  });
});
