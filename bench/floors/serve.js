import { createServer } from 'node:http';

/**
 * The three routes that a benchmark calls, on bare `node:http`, and nothing else.
 *
 * Plain JavaScript, since the floor for a cold start must not wait for types to be stripped.
 *
 * @param {number} port
 * @param {{
 *   createThread: () => string,
 *   streamRun: (threadId: string, body: object, response: import('node:http').ServerResponse) => unknown,
 * }} answers
 */
export function serve(port, { createThread, streamRun }) {
  const server = createServer((request, response) => {
    const [, resource, threadId] = request.url.split('/');
    if (resource === 'ok') return json(response, { ok: true });
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      if (!threadId) return json(response, { thread_id: createThread() });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      await streamRun(threadId, JSON.parse(Buffer.concat(chunks).toString()), response);
      response.end();
    });
  });
  server.listen(port, '127.0.0.1');
  process.once('SIGTERM', () => process.exit(0));
}

/** One server-sent event. */
export function event(name, data) {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

function json(response, value) {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
