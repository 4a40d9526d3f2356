import { randomUUID } from 'node:crypto';
import { isRecord } from '../langgraph-types.ts';
import { isMessage, type Message } from '../link/wire-format.ts';

/** The key for several writes to one channel in the result of a task. */
const WRITES = '$writes';

/** Makes the ID of a message that has none. */
export type MakeId = (message: Message) => string;

/**
 * Gives messages that nodes return their IDs before they are streamed, as LangGraph itself does when it streams messages.
 * Otherwise, the reducers of messages would add IDs in place when the superstep has ended, and events that were sent
 * earlier would lack them.
 */
export class OutputIds {
  readonly #makeId: MakeId;

  constructor(makeId: MakeId = () => randomUUID()) {
    this.#makeId = makeId;
  }

  /** @param payload the payload of `updates`: by the name of a node, its update or a list of its updates */
  addIdsToUpdate(payload: unknown): void {
    if (isRecord(payload)) for (const update of Object.values(payload)) this.#addIds(update);
  }

  /** @param payload the payload of `tasks`: a task that begins, or one with its result */
  addIdsToResult(payload: unknown): void {
    if (isRecord(payload)) this.#addIds(payload.result);
  }

  #addIds(output: unknown): void {
    for (const message of messagesIn(output)) {
      if (message.id !== undefined && message.id !== null) continue;
      const id = this.#makeId(message);
      message.id = id;
      message.lc_kwargs.id = id;
    }
  }
}

/** @param output an update, or several; or the return value of a task without a state */
function* messagesIn(output: unknown): Generator<Message> {
  for (const part of Array.isArray(output) ? output : [output]) {
    for (const value of isPlain(part) ? Object.values(part) : [part]) yield* writtenMessages(value);
  }
}

function writtenMessages(value: unknown): Message[] {
  const written: unknown = isPlain(value) ? value[WRITES] : [value];
  return Array.isArray(written) ? written.flat().filter(isMessage) : [];
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && !Array.isArray(value) && !isMessage(value);
}
