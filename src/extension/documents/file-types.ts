import path from 'node:path';

/** MIME types by extension. Of several extensions of a type, the first is the usual one. */
const MIME_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.svg': 'image/svg+xml',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.ogg': 'audio/ogg',
  '.m4a': 'audio/mp4',
  '.flac': 'audio/flac',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.mov': 'video/quicktime',
  '.pdf': 'application/pdf',
  '.json': 'application/json',
  '.csv': 'text/csv',
  '.html': 'text/html',
  '.md': 'text/markdown',
  '.txt': 'text/plain',
  '.log': 'text/plain',
};

const UNKNOWN_TYPE = 'application/octet-stream';

/**
 * The MIME type of a file, in the spelling that model providers expect; they refuse types that they do not
 * know.
 */
export function mimeTypeOf(name: string): string {
  return MIME_TYPES[path.posix.extname(name).toLowerCase()] ?? UNKNOWN_TYPE;
}

/** The name of a file in a message, with the extension by which VS Code chooses an editor. */
export function fileName(name: string, mime: string): string {
  const plain = name.replace(/[^\p{L}\p{N}._ -]/gu, '_').slice(-100);
  return /\.[\p{L}\p{N}]{1,8}$/u.test(plain) ? plain : `${plain}${extensionOf(mime)}`;
}

/** The extension of a MIME type, which may have parameters: the usual one, else the type's own name. */
function extensionOf(mime: string): string {
  const [type = ''] = mime.toLowerCase().split(';');
  const known = Object.entries(MIME_TYPES).find(([, each]) => each === type.trim())?.[0];
  if (known !== undefined) return known;
  // The part after a plus sign names the syntax, such as JSON in `application/geo+json`.
  const own = (type.split('/')[1] ?? '').replace(/^.*\+/, '').replace(/\W/g, '');
  return own === '' || type.trim() === UNKNOWN_TYPE ? '.bin' : `.${own}`;
}
