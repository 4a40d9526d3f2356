import type {
  Body,
  Exchange,
  RecordedRequest,
  RecordedResponse,
} from '../contract/agent-server/exchanges.ts';
import type { Masker } from './mask.ts';

/** Masks the secrets in the headers, the URL and the body of a request. */
export function maskRequest(request: RecordedRequest, masker: Masker): RecordedRequest {
  return {
    method: request.method,
    url: maskUrl(request.url, masker),
    headers: maskHeaders(request.headers, masker),
    body: maskBody(request, masker),
  };
}

/** Masks the secrets in the headers and the body of a response. Chunks keep their lengths. */
export function maskResponse(response: RecordedResponse, masker: Masker): RecordedResponse {
  return {
    ...response,
    headers: maskHeaders(response.headers, masker),
    chunks: response.encoding === 'utf8' ? maskText(response, masker) : maskBytes(response, masker),
  };
}

/** Masks the secrets in a request, its response and its error. */
export function maskExchange(exchange: Exchange, masker: Masker): Exchange {
  return {
    ...exchange,
    request: maskRequest(exchange.request, masker),
    response: exchange.response === null ? null : maskResponse(exchange.response, masker),
    ...(exchange.error === undefined
      ? {}
      : { error: { ...exchange.error, message: masker.text(exchange.error.message) } }),
  };
}

function maskHeaders(headers: RecordedRequest['headers'], masker: Masker): [string, string][] {
  return headers.map(([name, value]) => [name, masker.parameter(name, value)]);
}

function maskUrl(text: string, masker: Masker): string {
  const [address = '', query] = splitOnce(text, '?');
  const masked = masker.text(address);
  return query === undefined ? masked : `${masked}?${maskForm(query, masker)}`;
}

/** Masks `name=value&…`, as in URLs and forms. */
function maskForm(text: string, masker: Masker): string {
  return text
    .split('&')
    .map((pair) => {
      const [name = '', value] = splitOnce(pair, '=');
      return value === undefined ? masker.text(pair) : `${name}=${masker.parameter(name, value)}`;
    })
    .join('&');
}

function maskBody({ headers, body }: RecordedRequest, masker: Masker): Body | null {
  if (body === null) return null;
  if (body.encoding === 'base64') {
    return { ...body, data: base64(masker.bytes(Buffer.from(body.data, 'base64'))) };
  }
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const isForm = type.includes('application/x-www-form-urlencoded');
  return { ...body, data: isForm ? maskForm(body.data, masker) : masker.text(body.data) };
}

/** Masks all chunks of a text together, because a secret may span two of them. */
function maskText({ chunks, cut }: RecordedResponse, masker: Masker): string[] {
  const text = chunks.join('');
  const masked = cut ? masker.beginning(text) : masker.text(text);
  let at = 0;
  return chunks.map((chunk) => {
    at += chunk.length;
    return masked.slice(at - chunk.length, at);
  });
}

function maskBytes({ chunks, cut = false }: RecordedResponse, masker: Masker): string[] {
  const parts = chunks.map((chunk) => Buffer.from(chunk, 'base64'));
  const masked = masker.bytes(Buffer.concat(parts), cut);
  let at = 0;
  return parts.map((part) => {
    at += part.length;
    return base64(masked.subarray(at - part.length, at));
  });
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}
