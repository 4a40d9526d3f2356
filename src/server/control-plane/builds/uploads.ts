import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { v7 as uuidv7 } from 'uuid';
import { DatabaseUnreachable } from '../../../process/database-unreachable.ts';
import { fileSystemCode } from '../../../process/error-codes.ts';
import { replace } from '../../../process/replace.ts';
import { HttpError } from '../../http/errors.ts';
import { storageProblem } from '../../http/storage-problem.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { BuildStore } from './build-store.ts';
import type { Builder } from './builder.ts';
import { idOfObjectPath, objectPathOf } from './object-path.ts';

/** How long a URL accepts its tarball. */
const VALID_MS = 60 * 60_000;
/** The maximum size of a packed source. */
const MAX_UPLOAD_BYTES = 500 * 1_048_576;

export interface UploadsOptions {
  readonly db: StateDatabase;
  readonly builder: Pick<Builder, 'folder'>;
  readonly shared?: BuildStore | undefined;
  /** The platform's address for clients. */
  baseUrl(): string;
}

/** Accepts packed sources from clients, each at its own URL, which can be used once, within an hour. */
export class Uploads {
  readonly #options: UploadsOptions;

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  async createUrl(deploymentId: string): Promise<{ upload_url: string; object_path: string }> {
    const id = uuidv7();
    const token = randomBytes(32).toString('base64url');
    await this.#options.db
      .insertInto('uploads')
      .values({
        id,
        deployment_id: deploymentId,
        token_hash: hashOf(token),
        expires_at: new Date(Date.now() + VALID_MS).toISOString(),
        uploaded_at: null,
      })
      .execute();
    return {
      upload_url: `${this.#options.baseUrl()}/v2/uploads/${token}`,
      object_path: objectPathOf(id),
    };
  }

  /**
   * Stores the tarball in a request's body.
   * @throws HttpError 403 for a URL that is unknown, expired or already used; 413 for a tarball over 500 MiB; 400 if the
   * client disconnects; errors of storage, after which the URL can be used again.
   */
  async receive(token: string, request: IncomingMessage): Promise<void> {
    const { db, builder } = this.#options;
    const upload = await db
      .selectFrom('uploads')
      .selectAll()
      .where('token_hash', '=', hashOf(token))
      .where('uploaded_at', 'is', null)
      .where('expires_at', '>', new Date().toISOString())
      .executeTakeFirst();
    if (upload === undefined) throw unusable();
    const folder = builder.folder(upload.deployment_id);
    const file = folder.upload(upload.id);
    // A client may send the tarball again while the first request still seems to be open.
    const temporary = `${file}.${randomUUID()}.new`;
    await mkdir(path.dirname(file), { recursive: true });
    try {
      await pipeline(request, atMost(MAX_UPLOAD_BYTES), createWriteStream(temporary));
      await this.#storeOnce(upload, temporary);
    } catch (error) {
      await rm(temporary, { force: true });
      // After a failure of the server, such as a full disk, the same URL stays valid.
      if (error instanceof HttpError || storageProblem(error) !== undefined) throw error;
      throw new HttpError(400, 'The upload was interrupted. Request another URL from upload-url.');
    }
  }

  /**
   * Stores a received tarball, unless another request has already begun to store one. If storing it fails,
   * the URL can be used again. If the server is killed meanwhile, the upload never becomes usable.
   * @param received the file with the tarball, which is moved
   * @throws HttpError 403 if another request was faster
   */
  async #storeOnce(
    { id, deployment_id }: { readonly id: string; readonly deployment_id: string },
    received: string,
  ): Promise<void> {
    const { db, builder, shared } = this.#options;
    const folder = builder.folder(deployment_id);
    const file = folder.upload(id);
    await writeFile(file, '', { flag: 'wx' }).catch((error: unknown) => {
      throw fileSystemCode(error) === 'EEXIST' ? unusable() : error;
    });
    try {
      await replace(received, file);
      await shared?.putUpload(folder, deployment_id, id);
      const uploaded_at = new Date().toISOString();
      await db.outlasting(() =>
        db.updateTable('uploads').set({ uploaded_at }).where('id', '=', id).execute(),
      );
    } catch (error) {
      // If the server stops while the database cannot be reached, the upload may be marked: its tarball stays.
      if (!(error instanceof DatabaseUnreachable)) await rm(file, { force: true });
      throw error;
    }
  }

  /**
   * Removes tarballs whose URLs have expired. Recent uploads stay, because a revision may soon need them.
   * @param kept the object paths of tarballs that revisions still need.
   */
  async prune(deploymentId: string, kept: ReadonlySet<string | null | undefined>): Promise<void> {
    const { db, builder, shared } = this.#options;
    const old = await db
      .selectFrom('uploads')
      .select('id')
      .where('deployment_id', '=', deploymentId)
      .where('expires_at', '<=', new Date().toISOString())
      .execute();
    for (const { id } of old) {
      if (kept.has(objectPathOf(id))) continue;
      await rm(builder.folder(deploymentId).upload(id), { force: true });
      await shared?.removeUpload(deploymentId, id);
      await db.deleteFrom('uploads').where('id', '=', id).execute();
    }
  }

  /** Whether an object path refers to an upload for this deployment. */
  async has(deploymentId: string, objectPath: string): Promise<boolean> {
    const id = idOfObjectPath(objectPath);
    if (id === undefined) return false;
    const row = await this.#options.db
      .selectFrom('uploads')
      .select('uploaded_at')
      .where('id', '=', id)
      .where('deployment_id', '=', deploymentId)
      .executeTakeFirst();
    return row?.uploaded_at != null;
  }
}

/** Passes bytes on. @throws HttpError 413 in the stream after more than `limit` bytes. */
function atMost(limit: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > limit) done(new HttpError(413, `The source is larger than ${limit / 1_048_576} MiB.`));
      else done(null, chunk);
    },
  });
}

function unusable(): HttpError {
  return new HttpError(
    403,
    'This upload URL was already used or has expired. Request another one from upload-url.',
  );
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
