import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** The price of each of the origin's answers, in dollars. */
export const ANSWER_COST = 0.02;

/** An origin that answers like OpenAI's chat completions, with the usage and the cost that OpenRouter adds. */
export async function pricedOrigin(): Promise<{ readonly url: string } & AsyncDisposable> {
  const usage = { prompt_tokens: 60, completion_tokens: 40, total_tokens: 100, cost: ANSWER_COST };
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'ok' } }];
  const body = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm', choices, usage };
  const server = createServer((request, response) => {
    void buffer(request).then(() => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It listens nowhere.');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
