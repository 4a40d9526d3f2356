import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

/** An origin that answers like OpenAI's chat completions, reports the usage of each answer, and counts requests. */
export interface MeteredOrigin extends AsyncDisposable {
  readonly url: string;
  /** Requests since the last reset. */
  readonly requests: number;
  /** Forgets earlier requests. */
  reset(next?: NextAnswers): void;
}

export interface NextAnswers {
  /** Holds answers until this many requests wait; later ones are answered at once. */
  readonly together?: number;
  /** The number of requests that are answered; unlimited by default. */
  readonly answers?: number;
}

/** The tokens that it reports for each answer. */
export const TOKENS_PER_ANSWER = 100;
const USAGE = { prompt_tokens: 60, completion_tokens: 40, total_tokens: TOKENS_PER_ANSWER };

const Asked = z.looseObject({ model: z.string(), stream: z.boolean().optional() });

export async function meteredOrigin(): Promise<MeteredOrigin> {
  let requests = 0;
  let next: NextAnswers = {};
  let held: (() => void)[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      requests++;
      const { together = 0, answers = Number.POSITIVE_INFINITY } = next;
      if (requests <= answers) held.push(() => answer(response, Asked.parse(body)));
      if (requests < together) return;
      for (const one of held) one();
      held = [];
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It listens nowhere.');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    get requests() {
      return requests;
    },
    reset(following = {}) {
      requests = 0;
      next = following;
      held = [];
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(response: ServerResponse, { model, stream }: z.output<typeof Asked>): void {
  const made = { id: 'chatcmpl-1', created: 1, model };
  const message = { role: 'assistant', content: 'on and on' };
  if (stream !== true) {
    const choices = [{ index: 0, finish_reason: 'stop', message }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...made, object: 'chat.completion', choices, usage: USAGE }));
    return;
  }
  const chunks = [
    { choices: [{ index: 0, delta: message, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage: USAGE },
  ];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunks) {
    response.write(`data: ${JSON.stringify({ ...made, object: 'chat.completion.chunk', ...chunk })}\n\n`);
  }
  response.end('data: [DONE]\n\n');
}
