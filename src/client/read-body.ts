import type { Dispatcher } from 'undici';

type Body = Dispatcher.ResponseData['body'];

/**
 * The largest answer or event of a stream that is read, so that no platform exhausts the memory of the editor.
 */
export const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** The maximum number of characters that are read from a short answer, such as an error or an ID. */
const MAX_SHORT_CHARS = 64 * 1024;

/** An answer is larger than `MAX_ANSWER_BYTES`. */
export class TooLargeError extends Error {
  override readonly name = 'TooLargeError';
}

/** Reads a whole body. @throws TooLargeError */
export async function readBody(body: Body): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new TooLargeError();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** Reads the text of a failure or another short answer, and ignores the rest of a long one. */
export async function readShortText(body: Body): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= MAX_SHORT_CHARS) break;
  }
  return text.slice(0, MAX_SHORT_CHARS);
}
