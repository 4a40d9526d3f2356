import * as l10n from '@vscode/l10n';
import { type Dictionary, isDictionary } from '../../terms/fields.ts';
import { toBase64 } from './base64.ts';
import { size } from './size.ts';

/** A part of a message that is not text: an image, a recording, a file, or a block of an unknown type. */
export interface Attachment {
  readonly kind: 'image' | 'audio' | 'video' | 'file' | 'other';
  /** The MIME type, such as `image/png`. */
  readonly mime: string | undefined;
  readonly name: string | undefined;
  /** The bytes in base64, if the message has them. */
  readonly data: string | undefined;
  /** The web address, if the message has only that. */
  readonly url: string | undefined;
  /** The original block, to be sent again and viewed. */
  readonly block: unknown;
}

type Kind = Attachment['kind'];

/** Parts of messages that are shown elsewhere or contain nothing readable. */
const SHOWN_ELSEWHERE =
  /^(?:text|output_text|input_text|refusal|reasoning|thinking|redacted_thinking|tool_use|tool_call|tool_call_chunk|tool_result|function_call|input_json_delta|invalid_tool_call)$/;

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['image', 'image'],
  ['image_url', 'image'],
  ['input_image', 'image'],
  ['audio', 'audio'],
  ['input_audio', 'audio'],
  ['video', 'video'],
  ['file', 'file'],
  ['document', 'file'],
  ['input_file', 'file'],
  ['media', 'file'],
  ['text-plain', 'file'],
]);

/**
 * Reads a block of a message's content that is not text, in the forms of providers and LangChain: `image_url`,
 * `source_type` with `data`, `url` or `text`, `text-plain`, `base64`, Anthropic's `source`, OpenAI's `input_audio` and
 * `file`.
 * @returns `undefined` for blocks that are shown in another way
 */
export function attachmentOf(block: Dictionary): Attachment | undefined {
  const type = textIn(block.type) ?? '';
  if (type === '' || SHOWN_ELSEWHERE.test(type)) return undefined;
  const inner = [block.source, block.file, block.input_audio, block.image_url, block.metadata].filter(
    isDictionary,
  );
  const find = (...names: readonly string[]): string | undefined => {
    for (const part of [block, ...inner])
      for (const name of names) {
        const text = textIn(part[name]);
        if (text !== undefined) return text;
      }
    return undefined;
  };
  const text = documentText(type, block);
  const address = text === undefined ? find('url', 'image_url', 'file_data', 'data', 'base64') : undefined;
  const parsed = parseDataUrl(address);
  const mime =
    parsed?.mime ??
    bareType(find('mime_type', 'mimeType', 'media_type')) ??
    (text === undefined ? audioType(type, find('format')) : 'text/plain');
  return {
    kind: KINDS.get(mime?.split('/')[0] ?? '') ?? KINDS.get(type) ?? 'other',
    mime,
    name: find('filename', 'name', 'title'),
    data: text === undefined ? validBase64(parsed?.data ?? address ?? '') : toBase64(text),
    url: /^https?:/i.test(address ?? '') ? address : undefined,
    block,
  };
}

/** The text of a document that is given as text, not in base64: in the forms of LangChain and Anthropic. */
function documentText(type: string, block: Dictionary): string | undefined {
  if (type === 'text-plain' || block.source_type === 'text') return textIn(block.text);
  const { source } = block;
  return isDictionary(source) && source.type === 'text' ? textIn(source.data) : undefined;
}

/** A short description, such as `Image · PNG · 152 bytes`. */
export function describe({ kind, mime, name, data, url, block }: Attachment): string {
  const type =
    kind === 'other' ? (textIn(isDictionary(block) ? block.type : undefined) ?? '') : kindName(kind);
  const parts = [
    name ?? type,
    mime?.includes('/') ? (mime.split('/')[1] ?? '').replace(/\+.*$/, '').toUpperCase() : undefined,
    data === undefined ? undefined : size(bytesIn(data)),
    url === undefined || !URL.canParse(url) ? undefined : new URL(url).host,
  ];
  return parts.filter((part) => part !== undefined && part !== '').join(' · ');
}

/**
 * Whether an attachment is a picture that can be shown safely. An SVG in an `img` element runs no scripts
 * and loads nothing.
 */
export function isShowable({ mime, data }: Attachment): boolean {
  return data !== undefined && /^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)$/.test(mime ?? '');
}

/** The number of bytes that base64 data decodes to. */
function bytesIn(data: string): number {
  return Math.floor((data.length * 3) / 4) - (/=*$/.exec(data)?.[0].length ?? 0);
}

function kindName(kind: Exclude<Kind, 'other'>): string {
  return {
    image: l10n.t('Image'),
    audio: l10n.t('Audio'),
    video: l10n.t('Video'),
    file: l10n.t('File'),
  }[kind];
}

/** A MIME type without its parameters, such as `charset`, in lower case. */
function bareType(mime: string | undefined): string | undefined {
  return mime?.split(';')[0]?.trim().toLowerCase();
}

/** OpenAI's `input_audio` names a format such as `wav` instead of a MIME type. */
function audioType(type: string, format: string | undefined): string | undefined {
  return type === 'input_audio' && format !== undefined ? `audio/${format}` : undefined;
}

function parseDataUrl(
  address: string | undefined,
): { readonly mime: string; readonly data: string } | undefined {
  const found = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w=.-]+)*?;base64,/i.exec(address ?? '');
  if (found === null || address === undefined) return undefined;
  return { mime: (found[1] ?? '').toLowerCase(), data: address.slice(found[0].length) };
}

/** Returns the text if it is Base64: other text could change the meaning of the data URL that it is put into. */
function validBase64(text: string): string | undefined {
  return /^[\w+/-]+={0,2}$/.test(text) ? text : undefined;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
