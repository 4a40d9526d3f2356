import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { messageOf } from '../../../process/message-of.ts';
import { replace } from '../../../process/replace.ts';
import { type ClaimedStore, checkObjectName, type Objects, ObjectsError } from './objects.ts';
import { reportChunks } from './report-chunks.ts';
import type { S3Place } from './s3-place.ts';
import { textsOf } from './s3-xml.ts';
import { identifyStore, MARK, type MarkedPlace } from './store-mark.ts';

/** Larger files are sent in parts of this size; S3 requires at least 5 MiB, and at most 10,000 parts. */
const PART_BYTES = 16 * 1_048_576;
/**
 * How many times a request is sent to a store that does not answer or is temporarily unavailable; the growing pauses
 * are 6 seconds in total.
 */
const MAX_TRIES = 6;
const FIRST_PAUSE_MS = 200;
/** How long a request may receive nothing before it is given up. */
const SILENCE_MS = 60_000;
/** The status of the response to a range request for an empty object. */
const EMPTY = 416;
/** The statuses of a request that must not replace an object, if the object exists or is being stored. */
const EXISTS = new Set([409, 412]);
const NOT_IMPLEMENTED = 501;
/** The statuses of stores that do not support the condition. */
const UNSUPPORTED = new Set([400, NOT_IMPLEMENTED]);

/** A request to the store. */
interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Buffer<ArrayBuffer> | string;
  /** The requested bytes. */
  readonly range?: string;
  /** Whether the request must not replace an existing object. */
  readonly isNew?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Files in a bucket of S3, or of a store that supports its protocol. */
export class S3Objects implements Objects, MarkedPlace {
  readonly #place: S3Place;

  constructor(place: S3Place) {
    this.#place = place;
  }

  get name(): string {
    return this.#place.name;
  }

  identify(claimed?: ClaimedStore): Promise<string> {
    return identifyStore(this, claimed);
  }

  async readMark(): Promise<string | undefined> {
    const answer = await this.#ask(`${this.#place.prefix}${MARK}`, { method: 'GET' });
    if (answer.statusCode === 200) return (await text(answer)).trim();
    await this.#expectMissing(answer);
    return undefined;
  }

  async makeMark(id: string): Promise<void> {
    const answer = await this.#ask(`${this.#place.prefix}${MARK}`, { method: 'PUT', body: id, isNew: true });
    const { statusCode = 0 } = answer;
    const responseText = await text(answer);
    // A store that does not support the condition, or already has a mark, is not an error: the caller reads the
    // mark afterwards.
    if (UNSUPPORTED.has(statusCode)) return this.replaceMark(id);
    if (statusCode >= 300 && !EXISTS.has(statusCode)) throw this.#refusal(statusCode, responseText);
  }

  async replaceMark(id: string): Promise<void> {
    await this.#send(`${this.#place.prefix}${MARK}`, { method: 'PUT', body: id });
  }

  async put(name: string, file: string, signal?: AbortSignal): Promise<void> {
    const key = this.#keyOf(name);
    const handle = await open(file);
    try {
      const { size } = await handle.stat();
      if (size > PART_BYTES) await this.#putInParts(key, handle, size, signal);
      else await this.#send(key, { method: 'PUT', body: await readPart(handle, 0, size), signal });
    } finally {
      await handle.close();
    }
  }

  async get(name: string, file: string, signal?: AbortSignal, onProgress?: () => void): Promise<boolean> {
    const answer = await this.#ask(this.#keyOf(name), { method: 'GET', signal });
    if (answer.statusCode !== 200) return this.#expectMissing(answer);
    await mkdir(path.dirname(file), { recursive: true });
    const temporary = `${file}.${randomUUID()}.new`;
    try {
      // A connection that ends too early is an error of the stream.
      await pipeline(answer, reportChunks(onProgress), createWriteStream(temporary), { signal });
      await replace(temporary, file);
      return true;
    } catch (error) {
      await rm(temporary, { force: true });
      signal?.throwIfAborted();
      throw this.#unusable(error);
    }
  }

  /**
   * Requests the object's first byte, because a response without a body would not show whether the bucket is missing.
   */
  async has(name: string, signal?: AbortSignal): Promise<boolean> {
    const answer = await this.#ask(this.#keyOf(name), { method: 'GET', range: 'bytes=0-0', signal });
    const { statusCode = 0 } = answer;
    if (statusCode !== 200 && statusCode !== 206 && statusCode !== EMPTY) return this.#expectMissing(answer);
    answer.destroy();
    return true;
  }

  async list(prefix: string): Promise<string[]> {
    const keys: string[] = [];
    let next: string | undefined;
    do {
      const query = {
        'list-type': '2',
        prefix: `${this.#keyOf(prefix.replace(/\/$/, ''))}/`,
        ...(next === undefined ? {} : { 'continuation-token': next }),
      };
      const page = await this.#send('', { method: 'GET', query });
      keys.push(...textsOf(page, 'Key'));
      [next] = textsOf(page, 'NextContinuationToken');
    } while (next !== undefined);
    return keys.map((key) => key.slice(this.#place.prefix.length)).sort();
  }

  async remove(name: string, signal?: AbortSignal): Promise<void> {
    const answer = await this.#ask(this.#keyOf(name), { method: 'DELETE', signal });
    const { statusCode = 0 } = answer;
    // Amazon S3 answers 204 for a missing object, and Google Cloud Storage 404.
    if (statusCode >= 200 && statusCode < 300) answer.resume();
    else await this.#expectMissing(answer);
  }

  /**
   * Checks that a response says that the name does not exist.
   * @returns false
   * @throws ObjectsError for any other response.
   */
  async #expectMissing(answer: IncomingMessage): Promise<false> {
    const { statusCode = 0 } = answer;
    const responseText = await text(answer);
    // A 404 for a missing bucket, or from a proxy that returns it for everything, says nothing about a name.
    if (statusCode === 404 && textsOf(responseText, 'Code')[0] === 'NoSuchKey') return false;
    throw this.#refusal(statusCode, responseText);
  }

  async #putInParts(key: string, handle: FileHandle, size: number, signal?: AbortSignal): Promise<void> {
    const begun = await this.#send(key, { method: 'POST', query: { uploads: '' }, signal });
    const [uploadId] = textsOf(begun, 'UploadId');
    if (uploadId === undefined) throw this.#refusal(200, begun);
    try {
      const parts: string[] = [];
      for (let at = 0; at < size; at += PART_BYTES) {
        const partNumber = parts.length + 1;
        const answer = await this.#askForSuccess(key, {
          method: 'PUT',
          query: { partNumber: String(partNumber), uploadId },
          body: await readPart(handle, at, Math.min(PART_BYTES, size - at)),
          signal,
        });
        await text(answer);
        const { etag = '' } = answer.headers;
        parts.push(`<Part><PartNumber>${partNumber}</PartNumber><ETag>${etag}</ETag></Part>`);
      }
      const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
      const ended = await this.#send(key, { method: 'POST', query: { uploadId }, body, signal });
      // This request may fail with a success status.
      if (ended.includes('<Error>')) throw this.#refusal(200, ended);
    } catch (error) {
      // Parts that remain would be billed. If they cannot be removed, the first error still matters more.
      await this.#send(key, { method: 'DELETE', query: { uploadId } }).catch(() => {});
      throw error;
    }
  }

  /** Sends a request. @returns the text of the response. @throws ObjectsError if it is refused */
  async #send(key: string, sent: S3Request): Promise<string> {
    return text(await this.#askForSuccess(key, sent));
  }

  /** Sends a request. @returns a response with a success status. @throws ObjectsError if it is refused. */
  async #askForSuccess(key: string, sent: S3Request): Promise<IncomingMessage> {
    const answer = await this.#ask(key, sent);
    const { statusCode = 0 } = answer;
    if (statusCode >= 200 && statusCode < 300) return answer;
    throw this.#refusal(statusCode, await text(answer));
  }

  /** Sends a request, repeatedly if the store does not answer. @returns the response, whatever its status. */
  async #ask(key: string, { query = {}, ...sent }: S3Request): Promise<IncomingMessage> {
    const url = new URL(this.#place.bucketUrl);
    url.pathname = [url.pathname.replace(/\/$/, ''), key].filter(Boolean).join('/');
    url.search = new URLSearchParams(query).toString();
    for (let tries = 1; ; tries++) {
      try {
        const answer = await this.#askOnce(url.href, sent);
        if (tries === MAX_TRIES || !isForLater(answer.statusCode)) return answer;
        answer.resume();
      } catch (error) {
        sent.signal?.throwIfAborted();
        if (tries === MAX_TRIES) throw this.#unusable(error);
      }
      await sleep(FIRST_PAUSE_MS * 2 ** (tries - 1), undefined, { signal: sent.signal });
    }
  }

  /**
   * Sends a request with Node's own client, because undici fails if the store closes the connection after a file that
   * is read slowly.
   */
  async #askOnce(
    url: string,
    { method, body = '', range, isNew = false, signal }: S3Request,
  ): Promise<IncomingMessage> {
    const { region, accessKeyId, secretAccessKey, sessionToken } = this.#place;
    const signed = await new AwsV4Signer({
      service: 's3',
      method,
      url,
      // The store refuses data that was damaged in transit.
      headers: {
        'x-amz-content-sha256': createHash('sha256').update(body).digest('hex'),
        ...(range === undefined ? {} : { range }),
        ...(isNew ? { 'if-none-match': '*' } : {}),
      },
      region,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
    }).sign();
    const headers = { ...Object.fromEntries(signed.headers), 'content-length': Buffer.byteLength(body) };
    const ask = signed.url.protocol === 'https:' ? https.request : http.request;
    const request = ask(signed.url, { method, headers, ...(signal === undefined ? {} : { signal }) });
    request.setTimeout(SILENCE_MS, () => request.destroy(new Error('it has not answered for a minute')));
    request.end(body);
    const [answer] = await once(request, 'response');
    return answer;
  }

  #keyOf(name: string): string {
    return `${this.#place.prefix}${checkObjectName(name)}`;
  }

  #refusal(status: number, responseText: string): ObjectsError {
    const [code = ''] = textsOf(responseText, 'Code');
    const [message = ''] = textsOf(responseText, 'Message');
    const why = [code, message.replace(/\.$/, '')].filter(Boolean).join(': ') || `HTTP ${status}`;
    const wayOut =
      code === 'NoSuchBucket' ? '. Create the bucket first, or choose another with --objects.' : '';
    return new ObjectsError(`The object store ${this.#place.name} refused a request: ${why}${wayOut}`);
  }

  #unusable(error: unknown): ObjectsError {
    const why = `The object store ${this.#place.name} cannot be used: ${messageOf(error)}`;
    return new ObjectsError(why, { cause: error });
  }
}

function isForLater(status = 0): boolean {
  return status === 429 || (status >= 500 && status !== NOT_IMPLEMENTED);
}

async function readPart(handle: FileHandle, at: number, size: number): Promise<Buffer<ArrayBuffer>> {
  const part = Buffer.alloc(size);
  for (let filled = 0; filled < size; ) {
    const { bytesRead } = await handle.read(part, filled, size - filled, at + filled);
    if (bytesRead === 0) throw new ObjectsError('A file became shorter while it was sent.');
    filled += bytesRead;
  }
  return part;
}
