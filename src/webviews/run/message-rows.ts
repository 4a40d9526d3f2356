import { beginRow, completeRow, growRow, isUnbegun, toRow, type Writer } from './answers.ts';
import type { WireMessage } from './messages.ts';
import type { TranscriptRows } from './transcript-rows.ts';

/** Puts messages into the rows of a transcript, whether they arrive complete or in chunks. */
export class MessageRows {
  readonly #rows: TranscriptRows;
  /** The IDs of messages that the current run has streamed. */
  readonly #streamed: Set<string>;

  constructor(rows: TranscriptRows, streamed: Iterable<string>) {
    this.#rows = rows;
    this.#streamed = new Set(streamed);
  }

  get streamed(): ReadonlySet<string> {
    return this.#streamed;
  }

  /** Call this when a run begins, because it has not streamed any messages yet. */
  forgetStreamed(): void {
    this.#streamed.clear();
  }

  /** Puts a complete message into its row. */
  put(message: WireMessage, node: string | undefined): void {
    switch (message.role) {
      case 'human':
        this.#putHuman(message);
        break;
      case 'ai':
        this.#putAi(message, { node });
        break;
      case 'tool':
        this.#putToolResult(message);
        break;
      default:
        this.#putNote(message);
    }
  }

  #putHuman(message: WireMessage): void {
    const { id: messageId, text, files } = message;
    const next = { kind: 'human' as const, messageId, text, files };
    // The panel shows the typed text before the server has assigned an ID.
    const index = this.#rows.find('human', message.id) ?? this.#rows.findTyped(message.text);
    const row = index === undefined ? undefined : this.#rows.all[index];
    if (index === undefined || row?.kind !== 'human') this.#rows.push(next);
    else if (row.messageId !== message.id || row.text !== message.text)
      this.#rows.replace(index, { ...next, id: row.id });
  }

  /** Puts a complete message of a model. It may have been streamed under another ID than it has in the state. */
  #putAi(message: WireMessage, writer: Writer): void {
    const index =
      this.#rows.find('ai', message.id) ??
      (message.text === '' ? undefined : this.#rows.findStreaming(({ text }) => text === message.text));
    const row = index === undefined ? undefined : this.#rows.all[index];
    if (index === undefined || row?.kind !== 'ai')
      this.#rows.push({ ...toRow(message, writer), runs: {}, isBeside: false });
    else if (completeRow(row, message) !== row) this.#rows.replace(index, completeRow(row, message));
  }

  /** Puts a chunk of a model's message, or a complete one. Chunks with the same ID in a run belong together. */
  putPiece(message: WireMessage, writer: Writer): void {
    const { id, isChunk, text } = message;
    const index = this.#rows.find('ai', id) ?? (isChunk ? this.#headOf(id, writer) : undefined);
    const row = index === undefined ? undefined : this.#rows.all[index];
    const isNew = id !== undefined && !this.#streamed.has(id);
    if (id !== undefined) this.#streamed.add(id);
    if (index === undefined || row?.kind !== 'ai') {
      if (isChunk) {
        const isBeside = this.#rows.isAnyStreaming;
        this.#rows.push({ ...beginRow(message, writer), runs: {}, isBeside });
      } else this.#putAi(message, writer);
    }
    // A task that runs again streams its message from the beginning.
    else if (isNew && row.messageId === id)
      this.#rows.replace(index, { ...row, ...beginRow(message, writer), results: row.results });
    // The complete message follows its chunks.
    else if (!isChunk && text.startsWith(row.text)) this.#putAi(message, writer);
    else this.#rows.replace(index, growRow(row, message));
  }

  /** Finds the beginning of a message that continues under another ID, or without one. */
  #headOf(id: string | undefined, { task }: Writer): number | undefined {
    return this.#rows.findHead(
      task,
      (row) => isUnbegun(row) || (id === undefined && row.messageId === undefined),
    );
  }

  #putToolResult(message: WireMessage): void {
    const { toolCallId } = message;
    const index = this.#rows.find('call', toolCallId) ?? -1;
    const row = this.#rows.all[index];
    if (row?.kind !== 'ai' || toolCallId === undefined) {
      this.#putNote(message);
      return;
    }
    const { text, files, failed } = message;
    const result = { text, files, failed };
    if (row.results[toolCallId]?.text === result.text) return;
    this.#rows.replace(index, { ...row, results: { ...row.results, [toolCallId]: result } });
  }

  #putNote(message: WireMessage): void {
    const index = this.#rows.find('note', message.id) ?? -1;
    const row = this.#rows.all[index];
    const role = message.name ?? message.role;
    const { id: messageId, text, files } = message;
    const note = { kind: 'note' as const, messageId, role, text, files };
    if (row?.kind !== 'note') this.#rows.push(note);
    else if (row.text !== message.text) this.#rows.replace(index, { ...note, id: row.id });
  }
}
