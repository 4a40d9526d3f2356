import { z } from 'zod';
import { JsonObject } from '../contract/fields.ts';
import { ExampleFileError } from './example-file-error.ts';
import { type FileExample, ownFields, present, withoutOwn } from './file-example.ts';
import { parseJson, readDocument } from './read-document.ts';

/**
 * Reads and writes eval sets of Google's ADK. A case is a conversation: the messages up to and including the
 * last question are the inputs of an example, and the last answer with its tool calls is its outputs. All
 * other fields are kept in the metadata, under `adk`, for the export.
 */

const Content = z.looseObject({ parts: z.array(z.looseObject({})).nullish(), role: z.string().nullish() });
const Call = z.looseObject({ name: z.string(), args: JsonObject.nullish() });
const Invocation = z.looseObject({
  user_content: Content,
  final_response: Content.nullish(),
  intermediate_data: z.looseObject({ tool_uses: z.array(Call).optional() }).nullish(),
});
type Invocation = z.output<typeof Invocation>;

const Case = z.looseObject({ eval_id: z.string(), conversation: z.array(Invocation).nullish() });
const EvalSet = z.looseObject({ eval_set_id: z.string(), eval_cases: z.array(Case) });

const ToolCall = z.looseObject({ name: z.string(), args: JsonObject.catch({}) });
const Message = z.looseObject({
  role: z.string().optional(),
  type: z.string().optional(),
  content: z.unknown(),
  tool_calls: z.array(ToolCall).optional(),
});
type Message = z.output<typeof Message>;
const Conversation = z.looseObject({ messages: z.array(Message).min(1) });

/**
 * Reads the examples of an eval set.
 * @throws ExampleFileError that names the invalid field, or a case without a conversation
 */
export function readAdk(text: string): FileExample[] {
  const { eval_cases } = readDocument(parseJson(text), EvalSet, 'an eval set');
  return eval_cases.map(({ conversation, ...rest }) => {
    const last = conversation?.at(-1);
    if (!conversation || last === undefined) {
      throw new ExampleFileError(
        `The eval case '${rest.eval_id}' has no conversation to make an example of.`,
      );
    }
    const before = conversation
      .slice(0, -1)
      .flatMap((invocation) => [question(invocation), ...(answer(invocation) ?? [])]);
    const outputs = answer(last);
    return {
      inputs: { messages: [...before, question(last)] },
      outputs: outputs === undefined ? null : { messages: outputs },
      metadata: { adk: { ...rest, invocations: conversation.map(restOf) } },
    };
  });
}

/**
 * Writes an eval set. System messages and the results of tools are left out, because cases have no place for them.
 * Of several answers to a question, the earlier ones become intermediate responses.
 * @param id the ID and name of the set
 * @throws ExampleFileError for an example with anything but messages in its inputs or outputs, without a question, or
 *   with messages before its first question
 */
export function writeAdk(examples: readonly FileExample[], id: string): string {
  const set = { eval_set_id: id, name: id, eval_cases: examples.map(toCase) };
  return `${JSON.stringify(set, undefined, 2)}\n`;
}

function question({ user_content }: Invocation): Message {
  return { role: 'user', content: contentOf(user_content) };
}

/**
 * Makes the message of an answer with its tool calls.
 * @returns a list with the message; undefined for an invocation without an answer
 */
function answer({ final_response, intermediate_data }: Invocation): Message[] | undefined {
  const calls = intermediate_data?.tool_uses ?? [];
  if (!final_response && calls.length === 0) return undefined;
  return [
    {
      role: 'assistant',
      content: final_response ? contentOf(final_response) : '',
      ...(calls.length > 0 && { tool_calls: calls.map((call) => ({ ...call, args: call.args ?? {} })) }),
    },
  ];
}

/** @returns the text if that is all there is, else the parts in ADK's format */
function contentOf({ parts }: z.output<typeof Content>): unknown {
  const [part, ...others] = parts ?? [];
  if (others.length > 0) return parts;
  const isText = part !== undefined && typeof part.text === 'string' && Object.keys(part).length === 1;
  return isText ? part.text : (parts ?? []);
}

/** The fields of an invocation that are not in its messages. */
function restOf({ user_content: _question, final_response: _answer, ...rest }: Invocation) {
  const { intermediate_data, ...fields } = rest;
  const { tool_uses: _calls, ...data } = intermediate_data ?? {};
  return { ...fields, ...(intermediate_data && { intermediate_data: data }) };
}

function toCase(example: FileExample, at: number): unknown {
  const { id, inputs, outputs, metadata } = example;
  const name = `Example ${id ?? at + 1}`;
  const asked = messagesOf(inputs, name, 'inputs');
  const answers = outputs === null || isEmpty(outputs) ? [] : messagesOf(outputs, name, 'outputs');
  const { invocations, eval_id = id ?? `example-${at + 1}`, ...own } = ownFields(metadata, 'adk');
  const restored = z.array(z.looseObject({})).catch([]).parse(invocations);
  const turns = turnsOf([...asked, ...answers], name);
  return present({
    eval_id,
    conversation: turns.map((turn, index) => toInvocation(turn, restored[index])),
    ...own,
    ...withoutOwn(metadata, 'adk'),
  });
}

/** @throws ExampleFileError when an example's inputs or outputs are anything but messages */
function messagesOf(
  fields: z.output<typeof JsonObject>,
  name: string,
  part: 'inputs' | 'outputs',
): Message[] {
  const read = Conversation.safeParse(fields).data;
  if (read === undefined) throw notAdk(`${name} has no 'messages' in its ${part}, which an eval case needs`);
  const { messages, ...others } = read;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw notAdk(`${name} has '${other}' in its ${part}, but an eval case can have only messages`);
  return messages;
}

/** Whether outputs have nothing that an export could lose: no field, or only empty lists. */
function isEmpty(outputs: z.output<typeof JsonObject>): boolean {
  return Object.values(outputs).every((value) => Array.isArray(value) && value.length === 0);
}

function notAdk(reason: string): ExampleFileError {
  return new ExampleFileError(`${reason}. Export to another format.`);
}

/** A question and the messages up to the next one. */
interface Turn {
  readonly question: Message;
  readonly answers: Message[];
}

/** @throws ExampleFileError for messages without a question, or before the first one */
function turnsOf(messages: readonly Message[], name: string): Turn[] {
  if (!messages.some(isHuman)) throw notAdk(`${name} has no question, which an eval case needs`);
  const turns: Turn[] = [];
  for (const message of messages) {
    const turn = turns.at(-1);
    if (isHuman(message)) turns.push({ question: message, answers: [] });
    else if (isSystem(message)) continue;
    else if (turn === undefined)
      throw notAdk(`${name} has messages before its first question, which an eval case cannot have`);
    else turn.answers.push(message);
  }
  return turns;
}

function isHuman(message: Message): boolean {
  return is(message, 'user') || is(message, 'human');
}

function isSystem(message: Message): boolean {
  return is(message, 'system') || is(message, 'developer');
}

function is({ role, type }: Message, kind: string): boolean {
  return role === kind || type === kind;
}

/** @param restored the fields of the invocation that an import kept */
function toInvocation({ question: asked, answers }: Turn, restored: Readonly<Record<string, unknown>> = {}) {
  const fromModel = answers.filter((message) => !is(message, 'tool'));
  const last = fromModel.at(-1);
  const responses = fromModel
    .slice(0, -1)
    .flatMap((message) => (message.content === '' ? [] : [['model', partsOf(message)]]));
  const calls = fromModel.flatMap(({ tool_calls = [] }) =>
    tool_calls.map(({ name, args, ...rest }) => toCall(name, args, rest)),
  );
  const data = {
    ...JsonObject.catch({}).parse(restored.intermediate_data),
    ...(calls.length > 0 && { tool_uses: calls }),
    ...(responses.length > 0 && { intermediate_responses: responses }),
  };
  return {
    ...restored,
    user_content: { parts: partsOf(asked), role: 'user' },
    ...(last && { final_response: { parts: partsOf(last), role: 'model' } }),
    ...((restored.intermediate_data !== undefined || Object.keys(data).length > 0) && {
      intermediate_data: data,
    }),
  };
}

/** Writes a tool call without the `type` that LangChain adds. */
function toCall(name: string, args: z.output<typeof JsonObject>, { id }: { readonly id?: unknown }) {
  return { ...(typeof id === 'string' && { id }), args, name };
}

function partsOf({ content }: Message): unknown {
  return typeof content === 'string' ? [{ text: content }] : content;
}
