import { isObject } from '../process/objects.ts';

/** A variable whose value must not be in any file. */
export interface SecretValue {
  readonly name: string;
  readonly value: string;
}

/** The replacement of secrets, one per character, so that the borders of chunks stay in place. */
const MASK = '*';

/**
 * Names of headers, parameters and fields that contain secrets, such as `x-api-key`, `access_token`,
 * `clientSecret`.
 */
const SECRET_NAME =
  /^(?:sig|auth|pwd|jwt)$|api[-_]?key|access[-_]?key|private[-_]?key|signing[-_]?key|secret|passw(?:or)?d|passphrase|credential|authorization|cookie|bearer|signature|(?:^|[-_a-z])token$|(?:id|csrf|xsrf|auth|access|refresh|session)[-_]?token$/i;
/** Names of counts and positions that look similar, such as `max_token` and `next_page_token`. */
const PLAIN_NAME = /^(?:next|previous|prev|page|continuation|sync|stop|max)?[-_]?(?:page)?[-_]?token$/i;
/** Names that mean a secret in headers and addresses, but not in JSON. */
const SECRET_PARAMETER = /^(?:key|token)$/i;

/**
 * Texts that are recognizable secrets: keys of known platforms, bearer tokens, JWTs, private keys, passwords in
 * URLs.
 */
const SECRET_TEXT = [
  /\b(?:sk|pk|rk)[-_](?:[a-z]+[-_])*[A-Za-z0-9_-]{16,}/,
  /\blsv2_[a-z]+_[A-Za-z0-9_]{16,}/,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/,
  /\bxox[abposr]-[A-Za-z0-9-]{10,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bAIza[A-Za-z0-9_-]{30,}/,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/,
  /(?<=\b[Bb]earer )[A-Za-z0-9._~+/-]{8,}=*/,
  /(?<=\b[Bb]asic )[A-Za-z0-9+/]{8,}=*/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/,
  /(?<=[a-z][a-z0-9+.-]*:\/\/[^\s/:@"]*:)[^\s/@"]{3,}(?=@)/,
];

/** Texts that may be the beginning of a secret, at the end of a text that was cut off. */
const SECRET_BEGINNING = [
  /\b(?:(?:sk|pk|rk)[-_]|lsv2_|gh[pousr]_|github_pat_|xox[abposr]-|AKIA|ASIA|AIza|eyJ)[A-Za-z0-9._-]*$/,
  /(?<=\b(?:[Bb]earer|[Bb]asic) )[A-Za-z0-9._~+/=-]+$/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*$/,
  /(?<=[a-z][a-z0-9+.-]*:\/\/[^\s/:@"]*:)[^\s/@"]+$/,
];
/** Shorter beginnings match too many words. */
const MIN_BEGINNING = 3;
/** A field of JSON text whose value was cut off. */
const UNFINISHED_FIELD = /\\*"([\w.-]{1,80})\\*"\s*:\s*\\*"((?:[^"\\]|\\[^"])*)$/;

/** A field of JSON text and its value: `"api_key": "…"`. */
const JSON_FIELD = /(")([\w.-]{1,80})"(\s*:\s*)"((?:[^"\\]|\\[\s\S])*)"/g;
/** The same in JSON text inside a string of JSON: `\"api_key\": \"…\"`. */
const ESCAPED_FIELD = /(\\+")([\w.-]{1,80})\1(\s*:\s*)\1([\s\S]*?)(?<!\\)\1/g;

/** Whether a field of this name contains a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !PLAIN_NAME.test(name);
}

/** Replaces secrets: known values, values of fields with a secret's name, and values in the form of a key. */
export class Masker {
  readonly #forms: readonly string[];
  readonly #pattern: RegExp;
  /** How many secrets were replaced. */
  count = 0;

  constructor(secrets: readonly SecretValue[]) {
    this.#forms = [...new Set(secrets.flatMap(({ value }) => formsOf(value)))].sort(
      (a, b) => b.length - a.length,
    );
    this.#pattern = new RegExp(
      [...this.#forms.map(escapePattern), ...SECRET_TEXT.map(({ source }) => source)].join('|'),
      'g',
    );
  }

  /** Masks a text, without changing its length. */
  text(text: string): string {
    const hideField = (all: string, quote: string, name: string, colon: string, value: string) =>
      isSecretName(name) && !isMasked(value)
        ? `${quote}${name}${quote}${colon}${quote}${this.#hide(value)}${quote}`
        : all;
    return text
      .replace(this.#pattern, (found) => this.#hide(found))
      .replace(JSON_FIELD, hideField)
      .replace(ESCAPED_FIELD, hideField);
  }

  /** Masks a text that was cut off, possibly within a secret. */
  beginning(text: string): string {
    const masked = this.text(text);
    const known = this.#forms.map((form) => masked.length - overlap(masked, form));
    const likely = SECRET_BEGINNING.flatMap((pattern) => pattern.exec(masked)?.index ?? []);
    const [, name = '', value = ''] = UNFINISHED_FIELD.exec(masked) ?? [];
    const field = isSecretName(name) ? [masked.length - value.length] : [];
    const from = Math.min(masked.length, ...known, ...likely, ...field);
    return from === masked.length ? masked : masked.slice(0, from) + this.#hide(masked.slice(from));
  }

  /**
   * Masks bytes of any encoding, without changing their number.
   * @param isCut whether they were cut off, possibly within a secret
   */
  bytes(bytes: Uint8Array, isCut = false): Uint8Array {
    const text = Buffer.from(bytes).toString('latin1');
    return Buffer.from(isCut ? this.beginning(text) : this.text(text), 'latin1');
  }

  /** Masks the secrets in a value of JSON. */
  json(value: unknown): unknown {
    return this.#json(value, false);
  }

  /** Masks the value of a header, or of a parameter of a URL or form. */
  parameter(name: string, value: string): string {
    const isSecret = isSecretName(name) || SECRET_PARAMETER.test(name);
    return isSecret && !isMasked(value) ? this.#hide(value) : this.text(value);
  }

  #json(value: unknown, isSecret: boolean): unknown {
    if (typeof value === 'string') return isSecret && !isMasked(value) ? this.#hide(value) : this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.#json(item, isSecret));
    if (!isObject(value)) return value;
    // Bytes in a run file, such as the body of a request or a value of a checkpoint.
    if (value.encoding === 'base64' && typeof value.data === 'string') {
      const data = Buffer.from(this.bytes(Buffer.from(value.data, 'base64'))).toString('base64');
      return { ...value, data };
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        this.text(name),
        this.#json(item, isSecret || isSecretName(name)),
      ]),
    );
  }

  #hide(text: string): string {
    this.count++;
    return MASK.repeat(text.length);
  }
}

/** How many characters at the end of a text are the beginning of a secret. */
function overlap(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length >= MIN_BEGINNING; length--) {
    if (text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function isMasked(text: string): boolean {
  return /^\**$/.test(text);
}

/** The forms of a value in JSON, in URLs, in base64, and in bytes of UTF-8 that are read as Latin-1. */
function formsOf(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const ascii = json.replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const uri = encodeURIComponent(value.toWellFormed());
  return [
    value,
    json,
    ascii,
    JSON.stringify(json).slice(1, -1),
    uri,
    uri.replaceAll('%20', '+'),
    Buffer.from(value).toString('base64'),
    Buffer.from(value).toString('latin1'),
  ];
}
