import type { RuntimeError } from '../../../runtime/protocol/protocol.ts';

/** The message of an error with its place in the form `file:line:column`, which terminals and editors turn into links. */
export function placedMessage({ message, location }: RuntimeError): string {
  if (location === undefined || message.includes(`${location.file}:${location.line}`)) return message;
  const { file, line, column } = location;
  const place = `${file}:${line}${column === undefined ? '' : `:${column}`}`;
  return message.includes(file) ? message.replace(file, () => place) : `${place}: ${message}`;
}
