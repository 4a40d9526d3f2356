import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileSystemCode } from '../../../../process/error-codes.ts';
import { isObject } from '../../../../process/objects.ts';
import { HttpError } from '../../../http/errors.ts';
import { stagingFolder } from '../../../storage/staging-folder.ts';
import { parsedOrUndefined } from '../../runs/json-text.ts';
import type { Part } from '../../runs/parts.ts';
import type { HideMembers } from '../../services/hidden-members.ts';
import type { ReceivedPart } from './read-multipart.ts';
import { splitRun } from './split-run.ts';

/**
 * Larger parts are spooled to files, as are parts beyond the memory limit of a request. The runs of a JSON
 * body are in memory anyway, so only their separated payloads are spooled.
 */
export const LARGE_PART_BYTES = 1024 * 1024;
const MAX_IN_MEMORY_BYTES = 32 * 1024 * 1024;
const JSON_TYPE = 'application/json';
/** The names of parts that contain a run. */
const RUN = /^(?:post|patch)\.[^.]+$/;

/** Collects the parts of a request: small ones in one buffer that can be transferred, large ones in files. */
export class PartGatherer {
  readonly #folder: string;
  readonly #parts: Part[] = [];
  readonly #chunks: Uint8Array[] = [];
  readonly #staged: string[] = [];
  readonly #hide: HideMembers | undefined;
  readonly #splits: boolean;
  #size = 0;

  /**
   * @param options.hide removes from JSON what must not be stored.
   * @param options.splits whether large payloads within a run become separate parts.
   */
  constructor(
    dataDir: string,
    { hide, splits = false }: { hide?: HideMembers | undefined; splits?: boolean } = {},
  ) {
    this.#folder = stagingFolder(dataDir);
    this.#hide = hide;
    this.#splits = splits;
  }

  /** Adds a part with a value as JSON. */
  addJson(name: string, value: unknown): void {
    this.#keepJson(name, Buffer.from(JSON.stringify(value)));
  }

  /** Adds a part with a run. @returns a promise if a payload of the run is written to a file. */
  addRun(name: string, run: object): Promise<void> | undefined {
    const json = Buffer.from(JSON.stringify(run));
    if (this.#splits && json.length > LARGE_PART_BYTES) return this.#addSplit(name, run);
    this.#keepJson(name, json);
    return undefined;
  }

  /** Adds a part as it was received. @returns a promise if the part is written to a file. */
  add(received: ReceivedPart): Promise<void> | undefined {
    const run = this.#splits && received.length > LARGE_PART_BYTES ? runIn(received) : undefined;
    return run === undefined ? this.#addPart(received) : this.#addSplit(received.name, run);
  }

  #addPart(received: ReceivedPart): Promise<void> | undefined {
    const part = this.#redact(received);
    const { name, contentType, content, length } = part;
    if (length > LARGE_PART_BYTES || this.#size + length > MAX_IN_MEMORY_BYTES) return this.#stage(part);
    this.#keep({ name, contentType, offset: this.#size, length }, content);
    return undefined;
  }

  async #addSplit(name: string, run: object): Promise<void> {
    const { rest, payloads } = splitRun(name, run, LARGE_PART_BYTES);
    this.addJson(name, rest);
    for (const { name: part, json } of payloads)
      await this.#addPart({
        name: part,
        filename: undefined,
        contentType: JSON_TYPE,
        content: [json],
        length: json.length,
      });
  }

  #keepJson(name: string, json: Buffer): void {
    const bytes = this.#hide?.(json) ?? json;
    this.#keep({ name, contentType: JSON_TYPE, offset: this.#size, length: bytes.length }, [bytes]);
  }

  async #stage({ name, contentType, content, length }: ReceivedPart): Promise<void> {
    const staged = path.join(this.#folder, randomUUID());
    this.#staged.push(staged);
    await this.#write(staged, content);
    this.#parts.push({ name, contentType, offset: 0, length, staged });
  }

  /** @throws HttpError 507 when the data folder no longer exists; the file system's error when it cannot be written. */
  async #write(staged: string, content: readonly Uint8Array[]): Promise<void> {
    try {
      await writeFile(staged, content);
    } catch (error) {
      if (fileSystemCode(error) !== 'ENOENT') throw error;
      // The folder for spooled parts does not exist. It is created without its parents, so that a deleted
      // data folder is not created again.
      await mkdir(this.#folder).catch((failure: unknown) => {
        const code = fileSystemCode(failure);
        if (code === 'ENOENT') throw new HttpError(507, 'The data folder was deleted. Nothing was stored.');
        // Another request may have made the folder.
        if (code !== 'EEXIST') throw failure;
      });
      await writeFile(staged, content);
    }
  }

  /** Returns everything in memory as one buffer, ready to be transferred. */
  finish(): { bytes: Uint8Array<ArrayBuffer>; parts: readonly Part[] } {
    // A buffer with its own memory, which need not be cleared first, because all of it is written.
    const bytes = Buffer.allocUnsafeSlow(this.#size);
    let offset = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, offset);
      offset += chunk.length;
    }
    this.#chunks.length = 0;
    return { bytes, parts: this.#parts };
  }

  /** Removes the files that were not taken over. */
  async clear(): Promise<void> {
    await Promise.all(this.#staged.map((file) => rm(file, { force: true })));
  }

  #redact(part: ReceivedPart): ReceivedPart {
    if (this.#hide === undefined || part.name.startsWith('attachment.')) return part;
    const bytes = this.#hide(Buffer.concat(part.content));
    return { ...part, content: [bytes], length: bytes.length };
  }

  #keep(part: Part, content: readonly Uint8Array[]): void {
    this.#parts.push(part);
    this.#chunks.push(...content);
    this.#size += part.length;
  }
}

/**
 * The run in a part, with or without its payloads; undefined for other parts. An unreadable run stays unchanged, so
 * that it is refused when it is stored.
 */
function runIn({ name, content }: ReceivedPart): object | undefined {
  if (!RUN.test(name)) return undefined;
  const run = parsedOrUndefined(Buffer.concat(content));
  return isObject(run) ? run : undefined;
}
