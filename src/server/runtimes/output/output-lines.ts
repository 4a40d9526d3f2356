import type { Readable } from 'node:stream';

/** Text without a line end, such as a prompt, counts as a line if no more output follows for this long. */
const PAUSE_MS = 500;
/** A longer line is passed on in parts, before its end arrives. */
const MAX_CHARS = 16_384;
const PARTS = new RegExp(`.{1,${MAX_CHARS}}`, 'gsu');

/** Calls back with each line of a process's output. */
export function followLines(stream: Readable, onLine: (line: string) => void): void {
  let text = '';
  let timer: NodeJS.Timeout | undefined;
  const pass = (line: string) => {
    for (const part of line.match(PARTS) ?? ['']) onLine(part);
  };
  const flush = () => {
    clearTimeout(timer);
    // A carriage return at the end may be half of a line break.
    const line = text.replace(/\r$/, '');
    text = '';
    if (line !== '') pass(line);
  };
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    clearTimeout(timer);
    const lines = (text + chunk).split(/\r\n|\n|\r(?!$)/);
    text = lines.pop() ?? '';
    for (const line of lines) pass(line);
    if (text.length > MAX_CHARS) flush();
    else if (text !== '') timer = setTimeout(flush, PAUSE_MS).unref();
  });
  stream.once('close', flush);
  // A broken pipe has no further lines; the end of the process is reported elsewhere.
  stream.once('error', flush);
}
