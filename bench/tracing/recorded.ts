import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Client, RunTree } from 'langsmith';
import { v7 as uuidv7 } from 'uuid';
import { formatSegment, startOf } from '../../src/server/tracing/runs/dotted-order.ts';
import type { Body } from './server.ts';

/** The requests of the real client, uncompressed. */
export interface Recording {
  readonly contentType: string;
  readonly body: Buffer;
  readonly spans: number;
  /** When it arrived, in milliseconds. */
  readonly at: number;
}

/** Times as the client writes them: in a dotted_order, ISO 8601, and milliseconds. */
const TIME = /\d{8}T\d{12}Z|\d{4}-\d\d-\d\dT[\d:.]+Z|(?<=_time":)\d{13}/g;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * Records what the real SDK sends for traces of an agent: a root, steps with metadata as LangGraph gives them, model
 * calls with messages and usage, tool calls.
 */
export async function record(traces: number): Promise<Recording[]> {
  const recordings: Recording[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      if (request.url === '/info') {
        response.end(
          JSON.stringify({
            version: '0',
            batch_ingest_config: {
              use_multipart_endpoint: true,
              size_limit: 100,
              size_limit_bytes: 20_971_520,
            },
            instance_flags: { gzip_body_enabled: true },
          }),
        );
        return;
      }
      const whole = Buffer.concat(chunks);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(whole) : whole;
      const spans = body.toString('latin1').match(/name="post\.[0-9a-f-]{36}"/g)?.length ?? 0;
      recordings.push({ contentType: request.headers['content-type'] ?? '', body, spans, at: Date.now() });
      response.writeHead(202).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = new Client({ apiUrl: `http://127.0.0.1:${port}`, apiKey: 'recording' });
  for (let at = 0; at < traces; at++) await trace(client, at);
  await client.awaitPendingTraceBatches();
  server.close();
  server.closeAllConnections();
  if (!recordings.some(({ spans }) => spans > 0)) throw new Error('The client sent no multipart bodies.');
  return recordings;
}

async function trace(client: Client, at: number): Promise<void> {
  const question = `Question ${at}: ${WORDS.slice(at % 20, (at % 20) + 40).join(' ')}?`;
  const messages: object[] = [{ type: 'human', content: question, id: randomUUID() }];
  const root = new RunTree({
    name: 'agent',
    run_type: 'chain',
    inputs: { messages },
    client,
    project_name: 'bench',
    metadata: { thread_id: randomUUID(), user: `user-${at % 50}`, revision: 'r1' },
    tags: ['bench'],
  });
  await root.postRun();
  for (let step = 0; step < 3; step++) {
    const metadata = {
      langgraph_step: step,
      langgraph_node: step % 2 === 0 ? 'agent' : 'tools',
      langgraph_path: `["__pregel_pull","node-${step}"]`,
      langgraph_checkpoint_ns: `agent:${randomUUID()}`,
      graph_id: 'agent',
    };
    const node = root.createChild({
      name: String(metadata.langgraph_node),
      run_type: 'chain',
      inputs: { messages: [...messages] },
      metadata,
    });
    await node.postRun();
    const model = node.createChild({
      name: 'ChatModel',
      run_type: 'llm',
      inputs: { messages: [[...messages]] },
      metadata: { ...metadata, ls_provider: 'openai', ls_model_name: 'gpt-4o' },
    });
    await model.postRun();
    const answer = {
      type: 'ai',
      content: WORDS.slice(step * 10, step * 10 + 60).join(' '),
      id: randomUUID(),
    };
    messages.push(answer);
    await model.end({
      generations: [
        [
          {
            text: answer.content,
            message: {
              ...answer,
              usage_metadata: { input_tokens: 900, output_tokens: 60, total_tokens: 960 },
            },
          },
        ],
      ],
    });
    await model.patchRun();
    const tool = node.createChild({
      name: 'search',
      run_type: 'tool',
      inputs: { query: question },
      metadata,
    });
    await tool.postRun();
    await tool.end({ output: WORDS.slice(0, 120).join(' ') });
    await tool.patchRun();
    await node.end({ messages: [answer] });
    await node.patchRun();
  }
  await root.end({ messages: [...messages] });
  await root.patchRun();
}

/** Copies of a recording with other ids, so that each is new to the server. */
export function renewed(recording: Recording): Body & { readonly spans: number; readonly sentBytes: number } {
  const text = renewedText(recording);
  return {
    bytes: gzipSync(Buffer.from(text, 'latin1'), { level: 1 }),
    headers: { 'content-type': recording.contentType, 'content-encoding': 'gzip' },
    spans: recording.spans,
    sentBytes: text.length,
  };
}

/** The body with other ids, byte for byte as latin1, as if it were sent now. */
export function renewedText(recording: Recording): string {
  const later = Date.now() - recording.at;
  const ids = new Map<string, string>();
  return recording.body
    .toString('latin1')
    .replace(TIME, (time) => shifted(time, later))
    .replace(UUID, (id) => {
      let other = ids.get(id);
      if (other === undefined) {
        // The client's run ids increase with time, which suits indexes; those of the copies do too.
        other = id[14] === '7' ? uuidv7() : randomUUID();
        ids.set(id, other);
      }
      return other;
    });
}

function shifted(time: string, milliseconds: number): string {
  if (time[8] === 'T') return formatSegment((startOf(time) ?? 0) + milliseconds * 1000, '');
  if (time[4] !== '-') return String(Number(time) + milliseconds);
  const shift = new Date(Date.parse(time) + milliseconds).toISOString();
  // Digits below a millisecond stay unchanged.
  return `${shift.slice(0, 23)}${time.slice(23)}`;
}

const WORDS = (
  'the agent reads the folder and finds pages that answer a question about deployments revisions and threads it ' +
  'ranks them judges whether they suffice and writes an answer with citations when it is not sure it asks a person ' +
  'for approval before it goes on retention says how long traces are kept purging removes them before that feedback ' +
  'is a judgement on a trace under a key that you choose a superstep is one tick of a graph all nodes whose turn it ' +
  'is run side by side a checkpoint is a snapshot of the state of a thread at the end of a superstep and history is ' +
  'made of them an interrupt is a question that a running graph asks somebody resumes the thread with an answer ' +
  'nothing that was acknowledged is lost when the server is killed'
).split(' ');
