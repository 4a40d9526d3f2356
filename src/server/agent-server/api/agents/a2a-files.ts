import { z } from 'zod';
import type { MessageFile } from '../../../../terms/file-block.ts';

/** A file in A2A 0.3, with its content or its URL. */
const LegacyFile = z
  .looseObject({
    bytes: z.string().min(1).optional(),
    uri: z.url().optional(),
    mimeType: z.string().optional(),
    name: z.string().optional(),
  })
  .transform(({ bytes, uri, mimeType, name }) => ({ base64: bytes, url: uri, mime: mimeType, name }));

/** The fields of a part that contains a file in A2A 1.0. */
const FileFields = z
  .looseObject({
    raw: z.string().min(1).optional(),
    url: z.url().optional(),
    mediaType: z.string().optional(),
    filename: z.string().optional(),
  })
  .transform(({ raw, url, mediaType, filename }) => ({ base64: raw, url, mime: mediaType, name: filename }));

/** A part of a message that is a file. */
export const FilePart = z
  .union([
    z.looseObject({ kind: z.literal('file').optional(), file: LegacyFile }).transform(({ file }) => file),
    FileFields,
  ])
  .transform(({ base64, url, ...rest }, context): MessageFile => {
    if (base64 !== undefined && url === undefined) return { ...rest, base64 };
    if (url !== undefined && base64 === undefined) return { ...rest, url };
    context.addIssue({ code: 'custom', message: 'Must have either bytes or a URL.' });
    return z.NEVER;
  });

/** Whether a part is meant to be a file, even if it is not valid. */
export function isFile(part: { readonly [field: string]: unknown }): boolean {
  if (part.kind !== undefined) return part.kind === 'file';
  return ['file', 'raw', 'url'].some((field) => Object.hasOwn(part, field));
}
