import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { logsRequestType, tracesRequestType } from '../../../src/server/tracing/otlp/protobuf.ts';

/** The only tool call of the models, and their answer to its result. */
export const CALL = { name: 'get_weather', args: { city: 'Paris' } };
export const ANSWER = 'It is sunny in Paris.';
/** The tokens of every call. */
export const TOKENS = { input: 100, cached: 40, output: 20 };

const Asked = z.looseObject({
  stream: z.boolean().optional(),
  model: z.string().optional(),
  instructions: z.string().nullish(),
});

/** Spans and log records as OTLP's JSON. */
interface Sent {
  resourceSpans: unknown[];
  resourceLogs: unknown[];
}

/** Imitates the APIs of models, and receives the spans and log records of the programs that call them. */
export interface StandIn extends AsyncDisposable {
  readonly url: string;
  /** The spans and log records that were sent since they were last taken. */
  take(): Readonly<Sent>;
}

const Request = z.object({
  resourceSpans: z.array(z.unknown()).default([]),
  resourceLogs: z.array(z.unknown()).default([]),
});

export async function startStandIn(): Promise<StandIn> {
  let sent: Sent = { resourceSpans: [], resourceLogs: [] };
  const types = { '/v1/traces': tracesRequestType(), '/v1/logs': logsRequestType() };
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      if (request.url !== '/v1/traces' && request.url !== '/v1/logs') {
        answer(request, response, body.toString());
        return;
      }
      const type = types[request.url];
      const message: unknown = request.headers['content-type']?.includes('json')
        ? JSON.parse(body.toString())
        : withHexIds(type.toObject(type.decode(body), { longs: String, bytes: String, json: true }));
      const { resourceSpans, resourceLogs } = Request.parse(message);
      sent.resourceSpans.push(...resourceSpans);
      sent.resourceLogs.push(...resourceLogs);
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It listens nowhere.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    take() {
      const taken = sent;
      sent = { resourceSpans: [], resourceLogs: [] };
      return taken;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** JSON has ids in hexadecimal digits in OTLP, but in base64 in protobuf. */
function withHexIds(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      /^(?:trace|span|parentSpan)Id$/.test(key) && typeof inner === 'string'
        ? Buffer.from(inner, 'base64').toString('hex')
        : inner,
    ),
  );
}

function answer({ url = '' }: IncomingMessage, response: ServerResponse, body: string): void {
  const asked = Asked.parse(JSON.parse(body));
  const model = asked.model ?? '';
  const hasResult = /"role":\s*"tool"|tool_result|function_call_output|functionResponse|tool-response/.test(
    body,
  );
  if (url.includes(':generateContent')) json(response, gemini(hasResult));
  else if (url.startsWith('/v1/messages')) json(response, anthropic(model, hasResult));
  else if (url.startsWith('/v1/responses'))
    json(response, { ...responses(model, hasResult), instructions: asked.instructions ?? null });
  else complete(response, { model, hasResult, isStream: asked.stream === true, body });
}

interface Completing {
  readonly model: string;
  readonly hasResult: boolean;
  readonly isStream: boolean;
  readonly body: string;
}

function complete(response: ServerResponse, { model, hasResult, isStream, body }: Completing): void {
  // smolagents writes results as user messages.
  const completion = chat(model, hasResult || /"role":\s*"assistant"/.test(body), body);
  if (!isStream) {
    json(response, completion);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunksOf(completion)) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  response.end('data: [DONE]\n\n');
}

function json(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

function chat(model: string, hasResult: boolean, body: string) {
  // smolagents ends by calling a tool.
  const final = body.includes('"final_answer"')
    ? { name: 'final_answer', args: { answer: ANSWER } }
    : undefined;
  const call = hasResult ? final : CALL;
  const message = {
    role: 'assistant',
    content: call === undefined ? ANSWER : null,
    ...(call === undefined
      ? {}
      : {
          tool_calls: [
            {
              id: hasResult ? 'call_2' : 'call_1',
              type: 'function',
              function: { name: call.name, arguments: JSON.stringify(call.args) },
            },
          ],
        }),
  };
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: `${model}-2024-08-06`,
    choices: [{ index: 0, finish_reason: call === undefined ? 'stop' : 'tool_calls', message }],
    usage: {
      prompt_tokens: TOKENS.input,
      completion_tokens: TOKENS.output,
      total_tokens: TOKENS.input + TOKENS.output,
      prompt_tokens_details: { cached_tokens: TOKENS.cached },
    },
  };
}

function chunksOf({ choices, usage, ...head }: ReturnType<typeof chat>): object[] {
  const chunk = { ...head, object: 'chat.completion.chunk' };
  const [choice] = choices;
  const calls = choice?.message.tool_calls?.map((call, index) => ({ index, ...call }));
  const delta = { ...choice?.message, ...(calls === undefined ? {} : { tool_calls: calls }) };
  return [
    { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: choice?.finish_reason }] },
    { ...chunk, choices: [], usage },
  ];
}

function responses(model: string, hasResult: boolean): object {
  const output = hasResult
    ? {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: ANSWER, annotations: [] }],
      }
    : {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'call_1',
        name: CALL.name,
        arguments: JSON.stringify(CALL.args),
        status: 'completed',
      };
  const usage = {
    input_tokens: TOKENS.input,
    output_tokens: TOKENS.output,
    total_tokens: TOKENS.input + TOKENS.output,
    input_tokens_details: { cached_tokens: TOKENS.cached },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const rest = { parallel_tool_calls: true, tool_choice: 'auto', tools: [], status: 'completed' };
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_700_000_000,
    model: `${model}-2024-08-06`,
    output: [output],
    usage,
    ...rest,
  };
}

function anthropic(model: string, hasResult: boolean): object {
  const content = hasResult
    ? { type: 'text', text: ANSWER }
    : { type: 'tool_use', id: 'toolu_1', name: CALL.name, input: CALL.args };
  const usage = {
    input_tokens: TOKENS.input - TOKENS.cached,
    cache_read_input_tokens: TOKENS.cached,
    cache_creation_input_tokens: 0,
    output_tokens: TOKENS.output,
  };
  const stop = { stop_reason: hasResult ? 'end_turn' : 'tool_use', stop_sequence: null };
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: `${model}-20250929`,
    content: [content],
    usage,
    ...stop,
  };
}

function gemini(hasResult: boolean): object {
  const part = hasResult ? { text: ANSWER } : { functionCall: CALL };
  return {
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
    modelVersion: 'gemini-2.5-flash',
    usageMetadata: {
      promptTokenCount: TOKENS.input,
      cachedContentTokenCount: TOKENS.cached,
      candidatesTokenCount: TOKENS.output,
      totalTokenCount: TOKENS.input + TOKENS.output,
    },
  };
}
