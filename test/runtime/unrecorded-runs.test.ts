import assert from 'node:assert/strict';
import { z } from 'zod';
import { PYTHON_PACKAGES } from '../support/evaluation-packages.ts';
import { graphProject } from '../support/projects.ts';
import { pythonProject, pythonRuntime, requireEnvironment } from '../support/python-projects.ts';
import { RuntimeHost } from '../support/runtime/runtime-host.ts';
import { eventually } from '../support/wait.ts';

const Ended = z.object({ changed: z.array(z.string()) });

/** A graph whose node returns the differences since the module was loaded. */
const NODE_GRAPH = `
import http from 'node:http';
import https from 'node:https';
import { CallbackManager } from '@langchain/core/callbacks/manager';
import { Annotation, StateGraph } from '@langchain/langgraph';

const watched = [
  [globalThis, 'fetch'],
  [Math, 'random'],
  [http, 'request'],
  [http, 'get'],
  [http, 'ClientRequest'],
  [https, 'request'],
  [https, 'get'],
  [CallbackManager.prototype, 'handleChatModelStart'],
  [CallbackManager.prototype, 'handleChainStart'],
];
// Node creates its dispatcher when one of the classes of fetch is first accessed.
Response;
let owner = globalThis[Symbol.for('undici.globalDispatcher.1')];
for (; owner !== null; owner = Object.getPrototypeOf(owner)) {
  if (!Object.hasOwn(owner, 'dispatch')) continue;
  watched.push([owner, 'dispatch']);
  break;
}
const before = watched.map(([owner, name]) => owner[name]);

const State = Annotation.Root({ changed: Annotation() });
export const graph = new StateGraph(State)
  .addNode('look', () => ({
    changed: watched.flatMap(([owner, name], at) => (owner[name] === before[at] ? [] : [name])),
  }))
  .addEdge('__start__', 'look')
  .compile();
`;
const IN_NODE = [
  'request',
  'get',
  'ClientRequest',
  'request',
  'get',
  'handleChatModelStart',
  'handleChainStart',
  'dispatch',
];

const PYTHON_GRAPH = `
import random
import uuid
from typing import Any, TypedDict

import aiohttp
import httpx
import urllib3
from langchain_core.callbacks import AsyncCallbackManager, CallbackManager
from langgraph.graph import START, StateGraph

WATCHED = [
    (uuid, "uuid4"),
    (random, "random"),
    (httpx.HTTPTransport, "handle_request"),
    (httpx.AsyncHTTPTransport, "handle_async_request"),
    (urllib3.connectionpool.HTTPConnectionPool, "urlopen"),
    (aiohttp.connector.BaseConnector, "connect"),
    (aiohttp.ClientResponse, "start"),
    (aiohttp.StreamReader, "feed_data"),
    (aiohttp.StreamReader, "feed_eof"),
    (aiohttp.StreamReader, "set_exception"),
    (aiohttp.base_protocol.BaseProtocol, "resume_reading"),
    (CallbackManager, "on_chat_model_start"),
    (AsyncCallbackManager, "on_chat_model_start"),
]
BEFORE = [vars(owner).get(name) for owner, name in WATCHED]


class State(TypedDict):
    changed: Any


def look(state):
    return {"changed": [name for at, (owner, name) in enumerate(WATCHED) if vars(owner).get(name) is not BEFORE[at]]}


graph = StateGraph(State).add_node("look", look).add_edge(START, "look").compile()
`;
const IN_PYTHON = [
  'handle_request',
  'handle_async_request',
  'urlopen',
  'connect',
  'start',
  'feed_data',
  'feed_eof',
  'set_exception',
  'resume_reading',
  'on_chat_model_start',
  'on_chat_model_start',
];

const NODE_PROJECT = {
  line: 'langgraph-1.7',
  empty: true,
  files: {
    'look.js': NODE_GRAPH,
    'langgraph.json': JSON.stringify({ graphs: { graph: './look.js:graph' } }),
  },
} as const;

describe('a run that is not recorded, after one that was', () => {
  it('finds everything as its module did when it was loaded, in Node', async () => {
    await using project = await graphProject(NODE_PROJECT);
    await using host = new RuntimeHost({ project });
    await host.initialize();
    await expectNothingLeft(host, IN_NODE);
  });

  it('finds the same when several were recorded at once as the first of their process', async () => {
    await using project = await graphProject(NODE_PROJECT);
    await using host = new RuntimeHost({ project });
    await host.initialize();
    // Loads the module, which saves the current functions.
    await host.run('graph', { changed: null });
    await Promise.all(
      ['a', 'b', 'c'].map((seed) =>
        host.run('graph', { changed: null }, { exchanges: { mode: 'record', seed } }),
      ),
    );
    await expectNothingLeft(host, IN_NODE);
  });

  it('finds everything as its module did when it was loaded, in Python', async function () {
    const python = await requireEnvironment(this, 'langgraph-1.2', 'evaluation', PYTHON_PACKAGES);
    const files = {
      'look.py': PYTHON_GRAPH,
      'langgraph.json': JSON.stringify({ graphs: { graph: './look.py:graph' } }),
    };
    await using project = await pythonProject({ python, empty: true, files });
    await using host = new RuntimeHost(pythonRuntime(project));
    await host.initialize();
    await expectNothingLeft(host, IN_PYTHON);
  });
});

/** @param whileRecorded the changes that every recorded run finds */
async function expectNothingLeft(host: RuntimeHost, whileRecorded: readonly string[]): Promise<void> {
  const changed = async (isRecorded: boolean) => {
    const recorded = isRecorded ? { exchanges: { mode: 'record' as const, seed: 'seed' } } : {};
    const run = await host.run('graph', { changed: null }, recorded);
    assert.equal(run.status, 'success', JSON.stringify(run.error));
    return Ended.parse(run.events.at(-1)?.[1]).changed;
  };
  const expectNothing = () =>
    eventually(
      'nothing of it is left',
      () => changed(false),
      (left) => left.length === 0,
    );
  await expectNothing();
  for (let time = 0; time < 2; time++) {
    assert.deepEqual(await changed(true), whileRecorded);
    await expectNothing();
  }
}
