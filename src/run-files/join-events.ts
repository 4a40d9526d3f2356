import { isObject } from '../process/objects.ts';

/**
 * Joins the events that a model streamed into the answer that its API would give without streaming: OpenAI's chat
 * completions and responses, Anthropic's messages, Google's candidates. Other events stay a list.
 */
export function joinEvents(events: readonly unknown[]): unknown {
  const objects = events.filter(isObject);
  if (objects.length < events.length) return events;
  const completed = objects.find(
    ({ type }) => type === 'response.completed' || type === 'response.incomplete',
  );
  if (isObject(completed?.response)) return completed.response;
  if (objects.some(({ type }) => type === 'message_start')) return joinAnthropic(objects);
  if (objects.some(({ choices }) => Array.isArray(choices))) return joinChoices(objects);
  const candidates = objects.flatMap((event) => listOf(event.candidates));
  if (candidates.length > 0 && candidates.every(({ index = 0 }) => index === 0))
    return joinCandidates(objects);
  return events;
}

/** Fields of deltas whose texts are complete, and replace earlier ones. */
const WHOLE_FIELDS = ['role', 'id', 'type'];

type Dictionary = Readonly<Record<string, unknown>>;

/** Joins OpenAI's `choices[].delta`, which have pieces of texts, and calls with an index. */
function joinChoices(events: readonly Dictionary[]): Dictionary {
  const choices = new Map<unknown, { message: Dictionary; rest: Dictionary }>();
  for (const event of events) {
    for (const choice of listOf(event.choices)) {
      const { index = 0, delta, ...rest } = choice;
      const known = choices.get(index) ?? { message: {}, rest: {} };
      choices.set(index, {
        message: isObject(delta) ? withDelta(known.message, delta) : known.message,
        rest: { ...known.rest, ...withoutNull(rest) },
      });
    }
  }
  const usage = events.findLast((event) => isObject(event.usage))?.usage;
  const { choices: _, ...first } = events[0] ?? {};
  return {
    ...withoutNull(first),
    choices: [...choices].map(([index, { message, rest }]) => ({
      index,
      message: { role: 'assistant', ...message },
      ...rest,
    })),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** Adds a delta to a value. It joins texts, except in `WHOLE_FIELDS`, and items of lists by their `index`. */
function withDelta(known: Dictionary, delta: Dictionary): Dictionary {
  const joined: Record<string, unknown> = { ...known };
  for (const [name, piece] of Object.entries(delta)) {
    const before = joined[name];
    if (piece === null) continue;
    if (typeof before === 'string' && typeof piece === 'string' && !WHOLE_FIELDS.includes(name))
      joined[name] = before + piece;
    else if (Array.isArray(piece)) joined[name] = withItems(listOf(before), listOf(piece));
    else if (isObject(before) && isObject(piece)) joined[name] = withDelta(before, piece);
    else joined[name] = piece;
  }
  return joined;
}

function withItems(known: readonly Dictionary[], pieces: readonly Dictionary[]): readonly Dictionary[] {
  const items = [...known];
  for (const piece of pieces) {
    const at = items.findIndex(({ index }) => index !== undefined && index === piece.index);
    const before = items[at];
    if (before === undefined) items.push(piece);
    else items[at] = withDelta(before, piece);
  }
  return items;
}

/** Joins Anthropic's `message_start`, the blocks that follow with their deltas, and the end in `message_delta`. */
function joinAnthropic(events: readonly Dictionary[]): Dictionary {
  const start = events.find(({ type }) => type === 'message_start')?.message;
  const blocks = new Map<unknown, Dictionary>();
  let end: Dictionary = {};
  for (const { type, index, content_block, delta, usage } of events) {
    if (type === 'content_block_start' && isObject(content_block)) blocks.set(index, content_block);
    if (type === 'content_block_delta' && isObject(delta))
      blocks.set(index, withBlockDelta(blocks.get(index) ?? {}, delta));
    if (type === 'message_delta')
      end = { ...end, ...(isObject(delta) ? delta : {}), ...(isObject(usage) ? { usage } : {}) };
  }
  const message = isObject(start) ? start : {};
  const usage = {
    ...(isObject(message.usage) ? message.usage : {}),
    ...(isObject(end.usage) ? end.usage : {}),
  };
  return { ...message, ...end, usage, content: [...blocks.values()].map(withParsedInput) };
}

/** Adds a delta to a block: `text_delta` has the field `text`, `input_json_delta` a piece of JSON, and so on. */
function withBlockDelta(
  block: Dictionary,
  { type: _, partial_json, citation, ...pieces }: Dictionary,
): Dictionary {
  if (typeof partial_json === 'string') return { ...block, input: textOf(block.input) + partial_json };
  if (citation !== undefined) return { ...block, citations: [...listOf(block.citations), citation] };
  return withDelta(block, pieces);
}

/** The JSON text of a call's arguments so far; they begin as an empty object. */
function textOf(input: unknown): string {
  return typeof input === 'string' ? input : '';
}

function withParsedInput(block: Dictionary): Dictionary {
  if (typeof block.input !== 'string') return block;
  try {
    return { ...block, input: JSON.parse(block.input) };
  } catch {
    return block;
  }
}

/** Joins the pieces of Google's `candidates[0].content.parts`. Only answers with one candidate are joined. */
function joinCandidates(events: readonly Dictionary[]): Dictionary {
  const parts: Dictionary[] = [];
  for (const event of events) {
    const [candidate] = listOf(event.candidates);
    const content = isObject(candidate?.content) ? candidate.content : {};
    for (const part of listOf(content.parts)) {
      const last = parts.at(-1);
      const isMore = typeof last?.text === 'string' && typeof part.text === 'string';
      if (isMore && last.thought === part.thought)
        parts[parts.length - 1] = withDelta(last, { text: part.text });
      else parts.push(part);
    }
  }
  const last = events.at(-1) ?? {};
  const [candidate = {}] = listOf(last.candidates);
  return { ...last, candidates: [{ ...candidate, content: { role: 'model', parts } }] };
}

function listOf(value: unknown): readonly Dictionary[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function withoutNull(value: Dictionary): Dictionary {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null && one !== undefined));
}
