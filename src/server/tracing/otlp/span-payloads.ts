import { isObject } from '../../../process/objects.ts';
import { type Attributes, parsed, parsedStructure, textIn, valueIn } from './attributes.ts';
import { listUnder, nestedUnder } from './nested-attributes.ts';
import { eventMessages, type SpanEvent, spreadMessages } from './span-messages.ts';

type Payload = Record<string, unknown>;

/** The attributes in which the conventions put inputs, as JSON or plain text. The first one that exists counts. */
const INPUTS = [
  'langsmith.inputs',
  'gen_ai.tool.call.arguments',
  'ai.toolCall.args',
  'gcp.vertex.agent.tool_call_args',
  'gen_ai.input.messages',
  'ai.prompt.messages',
  'ai.prompt',
  'input.value',
  'traceloop.entity.input',
  'pydantic_ai.all_messages',
  'ai.value',
  'ai.values',
  'gcp.vertex.agent.llm_request',
  'gcp.vertex.agent.data',
];
/** The attributes in which the conventions put outputs, in the same way. */
const OUTPUTS = [
  'langsmith.outputs',
  'gen_ai.tool.call.result',
  'ai.toolCall.result',
  'gcp.vertex.agent.tool_response',
  'gen_ai.output.messages',
  'output.value',
  'traceloop.entity.output',
  'final_result',
  'ai.response.object',
  'gcp.vertex.agent.llm_response',
];
/** Attributes that are lists of messages, whatever they contain. */
const MESSAGES = new Set([
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'ai.prompt.messages',
  'pydantic_ai.all_messages',
]);
/** Mastra's attributes, which are named after the kind of span: `mastra.agent_run.input`. */
const MASTRA = { inputs: /^mastra\.\w+\.input$/, outputs: /^mastra\.\w+\.output$/ };
/** The names of events whose attributes other senders put into the span. */
const DETAILS = /^(?:gen_ai\.client\.inference\.operation\.details|gen_ai\.content\.(?:prompt|completion))$/;
const MESSAGE_EVENT = /^gen_ai\.(system|user|assistant|tool)\.message$/;
const CHOICE_EVENT = /^gen_ai\.choice$/;

/** The inputs of a span; empty when it has none. */
export function inputsOf(own: Attributes, events: readonly SpanEvent[]): Payload {
  const attributes = withDetails(own, events);
  const inputs =
    openInferenceInputs(attributes) ??
    firstPayload(attributes, INPUTS) ??
    mastraPayload(attributes, MASTRA.inputs) ??
    firstMessages(attributes, 'gen_ai.prompt', 'llm.input_messages') ??
    toolEvent(attributes, events, MESSAGE_EVENT) ??
    asMessages(eventMessages(events, MESSAGE_EVENT)) ??
    embeddedTexts(attributes) ??
    {};
  const instructions = valueIn(attributes, 'gen_ai.system_instructions');
  if (instructions === undefined) return inputs;
  // Instructions are sent separately; they become the first message.
  const system = Array.isArray(instructions)
    ? { role: 'system', parts: instructions }
    : { role: 'system', content: instructions };
  return Array.isArray(inputs.messages)
    ? { ...inputs, messages: [system, ...inputs.messages] }
    : { ...inputs, system_instructions: instructions };
}

/** The outputs of a span; `undefined` when it has none. */
export function outputsOf(own: Attributes, events: readonly SpanEvent[]): Payload | undefined {
  const attributes = withDetails(own, events);
  return (
    openInferenceOutputs(attributes) ??
    firstPayload(attributes, OUTPUTS) ??
    mastraAnswer(attributes) ??
    firstMessages(attributes, 'gen_ai.completion', 'llm.output_messages') ??
    vercelAnswer(attributes) ??
    toolEvent(attributes, events, CHOICE_EVENT) ??
    asMessages(eventMessages(events, CHOICE_EVENT))
  );
}

/** Adds the attributes of events that other senders put into the span; the span's own attributes take precedence. */
function withDetails(attributes: Attributes, events: readonly SpanEvent[]): Attributes {
  const details = events.filter(({ name }) => DETAILS.test(name)).map((event) => event.attributes);
  return details.length === 0 ? attributes : Object.assign({}, ...details, attributes);
}

/**
 * The inputs of a model in OpenInference, which defines the messages; `input.value` is only a rendering, in some
 * frameworks one of Python objects.
 */
function openInferenceInputs(attributes: Attributes): Payload | undefined {
  const kind = openInferenceKind(attributes);
  if (kind === 'RERANKER') {
    const documents = documentsUnder(attributes, 'reranker.input_documents');
    const query = textIn(attributes, 'reranker.query');
    return documents && { ...(query === undefined ? {} : { query }), documents };
  }
  const given = kind === 'LLM' ? spreadMessages(attributes, 'llm.input_messages') : undefined;
  if (given === undefined) return undefined;
  const tools = listUnder(attributes, 'llm.tools')?.map((tool) =>
    isObject(tool) && Object.keys(tool).join() === 'json_schema' ? parsed(tool.json_schema) : tool,
  );
  const parameters = valueIn(attributes, 'llm.invocation_parameters');
  return {
    messages: given,
    ...(tools === undefined ? {} : { tools }),
    ...(parameters === undefined ? {} : { invocation_params: parameters }),
  };
}

function openInferenceOutputs(attributes: Attributes): Payload | undefined {
  switch (openInferenceKind(attributes)) {
    case 'LLM':
      return asMessages(spreadMessages(attributes, 'llm.output_messages'));
    case 'RETRIEVER':
      return asDocuments(documentsUnder(attributes, 'retrieval.documents'));
    case 'RERANKER':
      return asDocuments(documentsUnder(attributes, 'reranker.output_documents'));
    default:
      return undefined;
  }
}

function openInferenceKind(attributes: Attributes): string | undefined {
  return textIn(attributes, 'openinference.span.kind')?.toUpperCase();
}

function documentsUnder(attributes: Attributes, prefix: string): unknown[] | undefined {
  return listUnder(attributes, prefix)?.map((document) =>
    isObject(document) && document.metadata !== undefined
      ? { ...document, metadata: parsedStructure(document.metadata) }
      : document,
  );
}

function asDocuments(documents: readonly unknown[] | undefined): Payload | undefined {
  return documents && { documents };
}

function embeddedTexts(attributes: Attributes): Payload | undefined {
  const embedded = nestedUnder(attributes, 'embedding.embeddings');
  if (!Array.isArray(embedded)) return undefined;
  const texts = embedded.flatMap((one: unknown) =>
    isObject(one) && one.text !== undefined ? [one.text] : [],
  );
  return texts.length === 0 ? undefined : { input: texts };
}

/** A model's response in the Vercel AI SDK, which separates text and tool calls. */
function vercelAnswer(attributes: Attributes): Payload | undefined {
  const text = textIn(attributes, 'ai.response.text');
  const calls = valueIn(attributes, 'ai.response.toolCalls');
  if (text === undefined && !Array.isArray(calls)) return undefined;
  return { messages: [answerOf(text, Array.isArray(calls) ? calls : [])] };
}

function answerOf(text: string | undefined, calls: readonly unknown[]): Payload {
  const toolCalls = calls.filter(isObject).map((call) => ({
    id: call.toolCallId,
    name: call.toolName,
    args: parsed(call.input ?? call.args ?? call.toolInput),
  }));
  const message = { role: 'assistant', content: text ?? '' };
  return toolCalls.length === 0 ? message : { ...message, tool_calls: toolCalls };
}

/**
 * The response of a model, an agent or a step in Mastra: `{text, toolCalls, …}`. A single tool call is sent as
 * a chunk.
 */
function mastraAnswer(attributes: Attributes): Payload | undefined {
  const answer = mastraPayload(attributes, MASTRA.outputs);
  if (answer === undefined) return undefined;
  const { text, toolCalls, ...others } = answer;
  if (typeof answer.toolName === 'string') return { messages: [answerOf(undefined, [answer])] };
  if (typeof text !== 'string') return answer;
  const filled = Object.entries(others).filter(([, value]) => !Array.isArray(value) || value.length > 0);
  return {
    messages: [answerOf(text, Array.isArray(toolCalls) ? toolCalls : [])],
    ...Object.fromEntries(filled),
  };
}

/** The arguments or the result of a tool, from a sender that reports them as the message of an event. */
function toolEvent(attributes: Attributes, events: readonly SpanEvent[], name: RegExp): Payload | undefined {
  if (textIn(attributes, 'gen_ai.operation.name') !== 'execute_tool') return undefined;
  const [message] = eventMessages(events, name) ?? [];
  return message?.content === undefined ? undefined : toPayload(message.content);
}

function mastraPayload(attributes: Attributes, name: RegExp): Payload | undefined {
  return firstPayload(
    attributes,
    Object.keys(attributes).filter((each) => name.test(each)),
  );
}

/** The payload in the first of the attributes that exists. */
function firstPayload(attributes: Attributes, names: readonly string[]): Payload | undefined {
  for (const name of names) {
    const value = valueIn(attributes, name);
    if (value === undefined || value === null) continue;
    return MESSAGES.has(name) && Array.isArray(value) ? { messages: value } : toPayload(value);
  }
  return undefined;
}

/** Converts the value of an attribute to a payload. A value that is not an object is put into one. */
function toPayload(value: unknown): Payload {
  if (isObject(value)) return value;
  if (!Array.isArray(value)) return { value };
  // If there are several values, the Vercel AI SDK sends each of them as JSON text.
  return value.some(isMessage) ? { messages: value } : { value: value.map(parsedText) };
}

function isMessage(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isMessage);
  return isObject(value) && ('role' in value || 'lc' in value || ('type' in value && 'content' in value));
}

/** The value of a text in quotes, which is JSON; any other value as it is. */
function parsedText(value: unknown): unknown {
  return typeof value === 'string' && /^".*"$/s.test(value) ? parsed(value) : value;
}

/** The messages in the first of the attributes that exists, in one value or spread over several attributes. */
function firstMessages(attributes: Attributes, ...prefixes: string[]): Payload | undefined {
  for (const prefix of prefixes) {
    if (attributes[prefix] !== undefined) return firstPayload(attributes, [prefix]);
    const found = spreadMessages(attributes, prefix);
    if (found !== undefined) return { messages: found };
  }
  return undefined;
}

/** A payload with these messages; undefined without any. */
function asMessages(list: readonly unknown[] | undefined): Payload | undefined {
  return list === undefined || list.length === 0 ? undefined : { messages: list };
}
