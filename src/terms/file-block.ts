import type { JsonObject } from '../contract/fields.ts';

const UNKNOWN_TYPE = 'application/octet-stream';

/** Larger files are not sent with a message: models refuse them, and every state of the thread keeps them. */
export const MAX_ATTACHED_BYTES = 10_000_000;

/** A file to be sent in a message: its bytes in base64, or its address. */
export type MessageFile = {
  /** The MIME type, such as `image/png`; unknown when empty. */
  readonly mime?: string | undefined;
  readonly name?: string | undefined;
} & (
  | { readonly base64: string; readonly url?: undefined }
  | { readonly url: string; readonly base64?: undefined }
);

/**
 * The block of a message's content that holds a file: images as every provider's integration takes them, other files
 * in LangChain's form.
 */
export function fileBlock({ base64, url, mime = '', name = '' }: MessageFile): JsonObject {
  const type = mime === '' ? UNKNOWN_TYPE : mime;
  if (type.startsWith('image/')) {
    return { type: 'image_url', image_url: { url: url ?? `data:${type};base64,${base64}` } };
  }
  return {
    type: /^(?:audio|video)(?=\/)/.exec(type)?.[0] ?? 'file',
    ...(url === undefined ? { source_type: 'base64', data: base64 } : { source_type: 'url', url }),
    mime_type: type,
    ...(name === '' ? {} : { metadata: { filename: name } }),
  };
}
