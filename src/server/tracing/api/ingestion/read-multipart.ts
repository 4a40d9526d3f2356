import type { IncomingMessage } from 'node:http';
import { decodePieces } from '../../../http/body.ts';
import { HttpError } from '../../../http/errors.ts';
import {
  MultipartError,
  MultipartParser,
  type MultipartPart,
  MultipartTooLarge,
} from '../../../http/multipart-parser.ts';

/** The maximum size after decoding, to protect against compressed bodies that expand endlessly. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;
/** The maximum size of a part, each of which is in memory as a whole. */
const MAX_PART_BYTES = 64 * 1024 * 1024;
/** The maximum number of parts in a body. */
const MAX_PARTS = 20_000;
/** The maximum size of the headers of a part. */
const MAX_HEADER_BYTES = 16 * 1024;

/** One part of a body, with its bytes in pieces. */
export interface ReceivedPart {
  readonly name: string;
  readonly filename: string | undefined;
  readonly contentType: string;
  readonly content: readonly Uint8Array[];
  readonly length: number;
}

/**
 * Reads a multipart body as it arrives and passes on its parts one by one, each after the previous one was
 * processed: never more than one large part is in memory.
 * @throws HttpError 413 if a part or the body is too large; 415 for another content type; 422 for a body that is
 *   malformed, or has too many parts or too long a header. Errors of `take` are passed on.
 */
export async function readMultipart(
  request: IncomingMessage,
  take: (part: ReceivedPart) => void | Promise<void>,
): Promise<void> {
  const parser = new MultipartParser(boundaryOf(request), {
    partBytes: MAX_PART_BYTES,
    totalBytes: MAX_BODY_BYTES,
    parts: MAX_PARTS,
    headerBytes: MAX_HEADER_BYTES,
  });
  try {
    for await (const chunk of receive(request)) {
      for (const part of parser.write(chunk)) {
        // Most parts are taken synchronously; awaiting each would cost as much as reading it.
        const taking = take(partOf(part));
        if (taking instanceof Promise) await taking;
      }
    }
    parser.finish();
  } catch (error) {
    throw toHttpError(error);
  }
}

/** Receives the body. Errors here are the client's fault, unlike errors in processing the parts. */
async function* receive(request: IncomingMessage): AsyncGenerator<Uint8Array, void, undefined> {
  const body = decodePieces(request);
  try {
    yield* body;
  } catch {
    throw malformed('the body is incomplete or does not match its Content-Encoding');
  }
}

function partOf({ headers, content, length }: MultipartPart): ReceivedPart {
  const { name, filename } = dispositionOf(headers.get('content-disposition') ?? '');
  if (headers.has('content-encoding')) {
    throw malformed(`part '${name}' has its own Content-Encoding; compress the whole body instead`);
  }
  const type = headers.get('content-type') ?? '';
  const end = type.indexOf(';');
  // The content type of a part carries its length where the client cannot set headers
  // (docs/interface/tracing.md#ingestion).
  const declared = headers.get('content-length') ?? (end < 0 ? undefined : LENGTH.exec(type)?.[1]);
  // Plain HTTP clients cannot always declare the length; a declared one must be correct.
  if (declared !== undefined && Number(declared) !== length) {
    throw malformed(`part '${name}' has ${length} bytes, but declares ${declared}`);
  }
  const contentType = (end < 0 ? type : type.slice(0, end)).trim();
  return { name, filename, contentType, content, length };
}

const LENGTH = /;\s*length\s*=\s*([^;]*?)\s*(?:;|$)/i;
/** Most clients write exactly this around the name, so most parts need no regular expression. */
const [BEFORE_NAME, AFTER_NAME] = ['form-data; name="', '"'];
const NAME = /;\s*name=(?:"([^"]*)"|([^;\s"]+))/i;
const FILENAME = /;\s*filename=(?:"([^"]*)"|([^;\s"]+))/i;

function dispositionOf(disposition: string): { name: string; filename: string | undefined } {
  if (disposition.startsWith(BEFORE_NAME) && disposition.endsWith(AFTER_NAME)) {
    const name = disposition.slice(BEFORE_NAME.length, -AFTER_NAME.length);
    if (!name.includes(AFTER_NAME)) return { name, filename: undefined };
  }
  const name = parameter(disposition, NAME);
  if (name === undefined || !/^form-data\b/i.test(disposition)) {
    throw malformed('a part has no name; its Content-Disposition must be form-data with a name');
  }
  return { name, filename: parameter(disposition, FILENAME) };
}

function parameter(disposition: string, pattern: RegExp): string | undefined {
  const match = pattern.exec(disposition);
  return match?.[1] ?? match?.[2];
}

function boundaryOf(request: IncomingMessage): string {
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(type)) {
    throw new HttpError(415, 'Send multipart/form-data.');
  }
  const match = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined || boundary.length > 200) throw malformed('the Content-Type has no boundary');
  return boundary;
}

/** A 422 error that says what is wrong with a multipart body. */
export function malformed(reason: string): HttpError {
  return new HttpError(422, [
    { loc: ['body'], msg: `error reading multipart data: ${reason}`, type: 'multipart' },
  ]);
}

/** Converts an error of the parser to an HttpError; other errors stay the same. */
function toHttpError(error: unknown): unknown {
  if (error instanceof MultipartTooLarge) {
    return error.what === 'part' ? tooLarge('A part', MAX_PART_BYTES) : tooLarge('The body', MAX_BODY_BYTES);
  }
  return error instanceof MultipartError ? malformed(error.message) : error;
}

function tooLarge(what: string, limit: number): HttpError {
  return new HttpError(413, `${what} is larger than ${limit / 1_048_576} MiB.`, { connection: 'close' });
}
