import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Dispatcher } from 'undici';
import request from 'undici/lib/api/api-request.js';
import { readShortText } from './read-body.ts';
import { refusal } from './refusal.ts';
import { RequestError } from './request-error.ts';
import { networkError } from './transport.ts';

interface UploadTarget {
  readonly upload_url: string;
  /** Headers that the storage behind the address requires. */
  readonly upload_headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Uploads a source tarball to an address from `upload-url`. The address itself is the credential, so no API key is sent.
 * @throws RequestError; the error of the file system when there is no such file; the signal's reason when aborted.
 */
export async function uploadFile(
  dispatcher: Dispatcher,
  target: UploadTarget,
  file: string,
  signal?: AbortSignal,
): Promise<void> {
  const url = new URL(target.upload_url);
  const outgoing = { method: 'PUT' as const, path: `${url.host}/…`, url };
  const { size } = await stat(file);
  try {
    const answer = await request.call(dispatcher, {
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'PUT',
      headers: {
        'content-type': 'application/gzip',
        ...target.upload_headers,
        'content-length': String(size),
      },
      body: createReadStream(file),
      signal: signal ?? null,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const text = await readShortText(answer.body);
    if (answer.statusCode >= 200 && answer.statusCode < 300) return;
    throw refusal({
      ...outgoing,
      status: answer.statusCode,
      requestId: undefined,
      retryAfterMs: undefined,
      text,
    });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof RequestError) throw error;
    throw networkError(outgoing, error);
  }
}
