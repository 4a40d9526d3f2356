import type { BlobStore } from '../../storage/blob-store.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import type { SignedLinks } from './signed-links.ts';

/** Everything that a reading thread uses. */
export interface ReaderContext {
  readonly db: TracesDatabase;
  readonly blobs: BlobStore;
  /** Signs the addresses of attachments; absent if no addresses are returned. */
  readonly links?: SignedLinks;
}
