import { isObject } from '../../../process/objects.ts';
import { type Attributes, textIn, valueIn } from './attributes.ts';

type Payload = Record<string, unknown>;

/** Where the conventions put what came in, and what went out: JSON or plain text. The first that is there counts. */
const INPUTS = [
  'gen_ai.tool.call.arguments',
  'ai.toolCall.args',
  'gen_ai.input.messages',
  'ai.prompt.messages',
  'ai.prompt',
  'input.value',
  'traceloop.entity.input',
  'langsmith.inputs',
  'pydantic_ai.all_messages',
  'ai.value',
  'ai.values',
];
const OUTPUTS = [
  'gen_ai.tool.call.result',
  'ai.toolCall.result',
  'gen_ai.output.messages',
  'output.value',
  'traceloop.entity.output',
  'langsmith.outputs',
  'final_result',
  'ai.response.object',
];

/** An event of a span: its name and attributes. */
export interface SpanEvent {
  readonly name: string;
  readonly attributes: Attributes;
}

/** The inputs of a span. */
export function inputsOf(attributes: Attributes, events: readonly SpanEvent[]): Payload {
  const inputs =
    payload(attributes, INPUTS) ??
    messages(attributes, 'gen_ai.prompt', 'llm.input_messages') ??
    eventMessages(events, /^gen_ai\.(system|user|assistant|tool)\.message$/) ??
    {};
  const instructions = valueIn(attributes, 'gen_ai.system_instructions');
  if (instructions === undefined) return inputs;
  // Instructions come separately; show them as the first message.
  const system = Array.isArray(instructions)
    ? { role: 'system', parts: instructions }
    : { role: 'system', content: instructions };
  return Array.isArray(inputs.messages)
    ? { ...inputs, messages: [system, ...inputs.messages] }
    : { ...inputs, system_instructions: instructions };
}

/** The outputs of a span; `undefined` when it does not say. */
export function outputsOf(attributes: Attributes, events: readonly SpanEvent[]): Payload | undefined {
  return (
    payload(attributes, OUTPUTS) ??
    messages(attributes, 'gen_ai.completion', 'llm.output_messages') ??
    vercelAnswer(attributes) ??
    eventMessages(events, /^gen_ai\.choice$/)
  );
}

/** The answer of a model by the Vercel AI SDK, which tells text and tool calls apart. */
function vercelAnswer(attributes: Attributes): Payload | undefined {
  const text = textIn(attributes, 'ai.response.text');
  const calls = valueIn(attributes, 'ai.response.toolCalls');
  if (text === undefined && !Array.isArray(calls)) return undefined;
  const toolCalls = (Array.isArray(calls) ? calls : []).filter(isObject).map((call) => ({
    id: call.toolCallId,
    name: call.toolName,
    args: valueIn({ args: call.input ?? call.args }, 'args'),
  }));
  const message = { role: 'assistant', content: text ?? '' };
  return { messages: [toolCalls.length === 0 ? message : { ...message, tool_calls: toolCalls }] };
}

function payload(attributes: Attributes, names: readonly string[]): Payload | undefined {
  for (const name of names) {
    const value = valueIn(attributes, name);
    if (value === undefined || value === null) continue;
    if (isObject(value)) return value;
    return Array.isArray(value) ? { messages: value } : { value };
  }
  return undefined;
}

/** Messages spread over attributes: `gen_ai.prompt.0.role`, `gen_ai.prompt.0.content`, … */
function messages(attributes: Attributes, ...prefixes: string[]): Payload | undefined {
  for (const prefix of prefixes) {
    if (attributes[prefix] !== undefined) return payload(attributes, [prefix]);
    const list: Payload[] = [];
    for (const [name, value] of Object.entries(attributes)) {
      const match = name.startsWith(`${prefix}.`)
        ? /^(\d{1,4})\.(.+)$/.exec(name.slice(prefix.length + 1))
        : null;
      if (match === null) continue;
      const at = Number(match[1]);
      list[at] ??= {};
      const message = list[at];
      if (message !== undefined) message[(match[2] ?? '').replace(/^message\./, '')] = value;
    }
    if (list.length > 0) return { messages: list.filter((message) => message !== undefined) };
  }
  return undefined;
}

/** Messages as events, an older form of the GenAI conventions: the name says whose it is. */
function eventMessages(events: readonly SpanEvent[], name: RegExp): Payload | undefined {
  const list = events.flatMap((event) => {
    const role = name.exec(event.name);
    return role === null ? [] : [{ role: role[1] ?? 'assistant', ...event.attributes }];
  });
  return list.length === 0 ? undefined : { messages: list };
}
