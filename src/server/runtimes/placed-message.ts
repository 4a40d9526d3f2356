import type { RuntimeError } from '../../runtime/protocol/protocol.ts';

/** What an error says, with line and column behind the file it is about, as terminals and editors make links of. */
export function placedMessage({ message, location }: RuntimeError): string {
  if (location === undefined || message.includes(`${location.file}:${location.line}`)) return message;
  const { file, line, column } = location;
  const place = `${file}:${line}${column === undefined ? '' : `:${column}`}`;
  return message.includes(file) ? message.replace(file, () => place) : `${place}: ${message}`;
}
