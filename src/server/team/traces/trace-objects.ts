import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { ignoreRejection } from '../../../process/settled.ts';
import { untilAborted } from '../../../process/until-aborted.ts';
import { HttpError } from '../../http/errors.ts';
import type { Logger } from '../../logger.ts';
import { crashPoint } from '../../storage/crash-point.ts';
import type { FetchedObjects } from '../../storage/object-supply.ts';
import { stagingFolder } from '../../storage/staging-folder.ts';
import type { TraceObjectStore } from '../../traces-thread/trace-object-store.ts';
import { LARGE_PART_BYTES } from '../../tracing/api/ingestion/part-gatherer.ts';
import type { Call } from '../../tracing/database/operations.ts';
import type { Part } from '../../tracing/runs/parts.ts';
import { type Objects, ObjectsError } from '../objects/objects.ts';
import { objectName } from './object-name.ts';
import type { ObjectOperations } from './unreferenced-objects.ts';

/** How many objects a request sends, fetches or removes at once. */
const AT_ONCE = 6;
/** How long to wait for the store while it is silent, per object. */
const PATIENCE_MS = 30_000;
/**
 * The minimum speed of an upload. At this speed, the largest upload ends before its reservation expires
 * (`UPLOADED_WITHIN` in `unreferenced-objects.ts`).
 */
const MIN_UPLOAD_BYTES_PER_MS = 256;

interface TraceObjectsOptions {
  readonly objects: Objects;
  readonly dataDir: string;
  readonly logger: Logger;
  readonly write: Call<ObjectOperations>;
  /** A different patience for tests, in ms. */
  readonly patienceMs?: number;
}

/**
 * The object store for tracing. It is used on the main thread, so that the threads with the database never wait for it.
 */
export class TraceObjects implements TraceObjectStore {
  readonly #options: TraceObjectsOptions;
  readonly #closing = new AbortController();

  constructor(options: TraceObjectsOptions) {
    this.#options = options;
  }

  async upload(parts: readonly Part[]): Promise<readonly Part[]> {
    const uploads = parts.flatMap((part) =>
      part.staged !== undefined && part.length > LARGE_PART_BYTES && isPayload(part)
        ? [{ part, staged: part.staged, object: objectName(path.basename(part.staged)) }]
        : [],
    );
    if (uploads.length === 0) return parts;
    const { write } = this.#options;
    await write('reserveObjects', { names: uploads.map(({ object }) => object) });
    crashPoint('objects-reserved');
    await this.#use(uploads, {
      withinMs: ({ part }) => this.#patienceMs + Math.ceil(part.length / MIN_UPLOAD_BYTES_PER_MS),
      work: ({ staged, object }, signal) => this.#put(staged, object, signal),
    });
    crashPoint('objects-uploaded');
    const objects = new Map(uploads.map(({ part, object }) => [part, object]));
    return parts.map((part) => {
      const object = objects.get(part);
      return object === undefined ? part : { ...part, object };
    });
  }

  async fetch(names: readonly string[]): Promise<FetchedObjects> {
    const fetched: Record<string, string | null> = {};
    try {
      await this.#use(names, {
        withinMs: () => this.#patienceMs,
        work: async (name, signal, onProgress) => {
          const file = path.join(stagingFolder(this.#options.dataDir), randomUUID());
          fetched[name] = file;
          if (await this.#options.objects.get(name, file, signal, onProgress)) return;
          fetched[name] = null;
          this.#options.logger.warn({ object: name }, 'a payload of a trace is not in the object store');
        },
      });
      return fetched;
    } catch (error) {
      this.release(fetched);
      throw error;
    }
  }

  release(fetched: FetchedObjects): void {
    // Files that cannot be removed now are removed at the next start.
    for (const file of Object.values(fetched)) if (file !== null) ignoreRejection(rm(file, { force: true }));
  }

  /** Removes objects. They stay on the list of objects to remove until the store has confirmed the removal. */
  async remove(names: readonly string[]): Promise<void> {
    const { objects, write, logger } = this.#options;
    const gone: string[] = [];
    try {
      await inParallel(names, async (name) => {
        await this.#inTime(this.#patienceMs, async (signal) => {
          await objects.remove(name, signal);
          crashPoint('object-removed');
          if (await objects.has(name, signal))
            throw new ObjectsError(`The object store still has ${name}, which was removed.`);
        });
        gone.push(name);
      });
    } catch (err) {
      if (!this.#closing.signal.aborted)
        logger.error({ err }, 'payloads of deleted traces are still in the object store; retrying');
    }
    // This is called even if no object was removed, because it ends this round. If the database cannot be reached, the
    // next round begins in a minute.
    await write('forgetObjects', { names: gone }).catch((err: unknown) => {
      if (!this.#closing.signal.aborted)
        logger.error({ err }, 'could not record which objects were removed; retrying');
    });
  }

  get #patienceMs(): number {
    return this.#options.patienceMs ?? PATIENCE_MS;
  }

  /** Cancels pending work. */
  close(): void {
    this.#closing.abort();
  }

  /** Stores an object, compressed in the same way as payloads in rows. */
  async #put(staged: string, object: string, signal: AbortSignal): Promise<void> {
    const packed = `${staged}.zst`;
    try {
      await pipeline(createReadStream(staged), createZstdCompress(), createWriteStream(packed), { signal });
      await this.#options.objects.put(object, packed, signal);
    } finally {
      await rm(packed, { force: true });
    }
  }

  /** @throws HttpError 503 when the store cannot be used, or does not respond in time. */
  async #use<Item>(
    items: readonly Item[],
    each: {
      /** How long the work may take without calling `onProgress`. For uploads, which never call it, the whole time. */
      readonly withinMs: (item: Item) => number;
      readonly work: (item: Item, signal: AbortSignal, onProgress: () => void) => Promise<void>;
    },
  ): Promise<void> {
    try {
      await inParallel(items, (item) =>
        this.#inTime(each.withinMs(item), (signal, onProgress) => each.work(item, signal, onProgress)),
      );
    } catch (err) {
      if (this.#closing.signal.aborted) throw new HttpError(503, 'The server is stopping.');
      if (!(err instanceof ObjectsError)) throw err;
      this.#options.logger.error({ err }, 'the object store cannot be used');
      throw new HttpError(
        503,
        'The object store is not available, so large payloads cannot be stored or read. Try again.',
        {
          'retry-after': '1',
        },
      );
    }
  }

  /** Limits the time of work. @param patienceMs how long the store may be silent. @throws ObjectsError after that. */
  async #inTime(
    patienceMs: number,
    work: (signal: AbortSignal, onProgress: () => void) => Promise<void>,
  ): Promise<void> {
    this.#closing.signal.throwIfAborted();
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), patienceMs);
    const signal = AbortSignal.any([this.#closing.signal, patience.signal]);
    const done = work(signal, () => timer.refresh());
    try {
      // Stops waiting for the work when the signal is aborted: a folder on a network drive may neither respond nor
      // notice the signal.
      await untilAborted(done, signal);
    } catch (error) {
      throw signal.aborted ? new ObjectsError('The object store has not answered in time.') : error;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Whether a part is a payload, which is stored without being parsed; the other parts are parsed. */
function isPayload({ name }: Part): boolean {
  return /^(?:(?:post|patch)\.[^.]+\.|attachment\.)/.test(name);
}

/**
 * Processes items, `AT_ONCE` at a time. Each failure stops one of `AT_ONCE` workers, so after that many failures the
 * remaining items are skipped.
 * @throws the first error, at the end.
 */
async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  const workers = Array.from({ length: Math.min(AT_ONCE, items.length) }, async () => {
    for (const item of left) await work(item);
  });
  const errors: unknown[] = [];
  await Promise.all(workers.map((worker) => worker.catch((error: unknown) => errors.push(error))));
  if (errors.length > 0) throw errors[0];
}
