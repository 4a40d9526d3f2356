import assert from 'node:assert/strict';
import type { Dispatcher } from 'undici';
import { Client } from '../../src/client/client.ts';
import type { Credentials } from '../../src/client/connection.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { sendPresignedFeedback } from '../../src/client/presigned-feedback.ts';
import { RequestError } from '../../src/client/request-error.ts';
import { httpPeer, json } from '../support/http-peer.ts';
import { patience } from '../support/wait.ts';

const threadId = '018f3a5e-0000-7000-8000-000000000001';
const thread = {
  thread_id: threadId,
  created_at: '2026-11-21T09:00:00Z',
  updated_at: '2026-11-21T09:00:00Z',
  metadata: {},
  status: 'idle',
  values: {},
};

describe('the client', () => {
  let dispatcher: Dispatcher;
  before(() => {
    dispatcher = createDispatcher({});
  });
  after(() => dispatcher.close());

  function clientOf(url: string, credentials: Credentials = { apiKey: 'key-1' }) {
    return new Client({
      connection: { baseUrl: url, controlPlaneUrl: url, deploymentUrl: url, credentials },
      dispatcher,
    });
  }

  const failure = async (call: Promise<unknown>): Promise<RequestError> => {
    const error = await call.then(
      () => assert.fail('the call succeeded'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof RequestError, String(error));
    return error;
  };

  describe('a call', () => {
    it('takes its method, path, query and body from the contract', async () => {
      await using peer = await httpPeer((_, response) => json(response, 200, thread));
      const client = clientOf(peer.url);
      await client.threads.create({ body: { metadata: { owner: 'Ada' } } });
      await client.threads.get({ params: { thread_id: 'a/../b' }, query: { include: ['ttl', 'x'] } });
      assert.deepEqual(
        peer.seen.map(({ method, url, body }) => ({ method, url, body })),
        [
          { method: 'POST', url: '/threads', body: '{"metadata":{"owner":"Ada"}}' },
          { method: 'GET', url: '/threads/a%2F..%2Fb?include=ttl&include=x', body: '' },
        ],
      );
    });

    it('sends only the credentials it was given', async () => {
      await using peer = await httpPeer((_, response) => json(response, 200, thread));
      await clientOf(peer.url, { apiKey: 'k', tenantId: 't', bearerToken: 'b' }).threads.create({ body: {} });
      await clientOf(peer.url, {}).threads.create({ body: {} });
      const [all, none] = peer.seen.map(({ headers }) => [
        headers['x-api-key'],
        headers['x-tenant-id'],
        headers.authorization,
      ]);
      assert.deepEqual(all, ['k', 't', 'Bearer b']);
      assert.deepEqual(none, [undefined, undefined, undefined]);
    });

    it('passes unknown fields through', async () => {
      await using peer = await httpPeer((_, response) => json(response, 200, { ...thread, later: 1 }));
      const read = await clientOf(peer.url).threads.create({ body: {} });
      assert.equal(read.later, 1);
    });

    it('returns undefined for an empty answer', async () => {
      await using peer = await httpPeer((_, response) => void response.writeHead(204).end());
      assert.equal(await clientOf(peer.url).threads.delete({ params: { thread_id: threadId } }), undefined);
    });

    it('reads an answer after keep-alive newlines', async () => {
      await using peer = await httpPeer((_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end('\n\n{"a":1}');
      });
      const values = await clientOf(peer.url).runs.wait({
        params: { thread_id: threadId },
        body: { assistant_id: 'agent' },
      });
      assert.deepEqual(values, { a: 1 });
    });

    it('passes the headers of the answer to onAnswer', async () => {
      await using peer = await httpPeer((_, response) =>
        json(response, 200, [], { 'x-pagination-next': '10' }),
      );
      let next: string | undefined;
      await clientOf(peer.url).threads.search(
        { body: {} },
        { onAnswer: (answer) => (next = answer.header('x-pagination-next')) },
      );
      assert.equal(next, '10');
    });

    it('explains that no deployment was chosen', async () => {
      const client = new Client({
        connection: { baseUrl: 'http://x', controlPlaneUrl: 'http://x', credentials: {} },
        dispatcher,
      });
      await assert.rejects(async () => client.threads.create({ body: {} }), /Choose a deployment first/);
    });
  });

  describe('an error', () => {
    it('has status, request ID, method, path, body and detail, and a sentence as its message', async () => {
      await using peer = await httpPeer((_, response) =>
        json(response, 404, { detail: "Thread 'x' not found." }, { 'x-request-id': 'r-7' }),
      );
      const error = await failure(clientOf(peer.url).threads.get({ params: { thread_id: threadId } }));
      assert.equal(error.problem, 'status');
      assert.equal(error.status, 404);
      assert.equal(error.requestId, 'r-7');
      assert.equal(error.method, 'GET');
      assert.equal(error.path, `/threads/${threadId}`);
      assert.deepEqual(error.body, { detail: "Thread 'x' not found." });
      assert.equal(error.detail, "Thread 'x' not found.");
      assert.equal(error.message, `Thread 'x' not found. (404 from GET /threads/${threadId}, request r-7)`);
    });

    it('contains the fields of a 422', async () => {
      const issues = [{ loc: ['body', 'graph_id'], msg: 'Field required', type: 'missing' }];
      await using peer = await httpPeer((_, response) => json(response, 422, { detail: issues }));
      const error = await failure(clientOf(peer.url).assistants.create({ body: { graph_id: '' } }));
      assert.match(error.message, /^body\.graph_id: Field required \(422/);
      assert.deepEqual(error.detail, issues);
    });

    it('does not contain the HTML page of a proxy', async () => {
      await using peer = await httpPeer(
        (_, response) => void response.writeHead(413).end('<html>nginx</html>'),
      );
      const error = await failure(clientOf(peer.url).threads.create({ body: {} }));
      assert.match(error.message, /^The request is larger than the server accepts\. \(413/);
    });

    it('asks for the workspace ID when the key has access to several', async () => {
      await using peer = await httpPeer((_, response) =>
        json(response, 403, { error: 'org_scoped_key_requires_workspace' }),
      );
      const error = await failure(clientOf(peer.url).deployments.list());
      assert.match(error.message, /Specify the workspace ID/);
    });

    it('reports an answer that is not valid JSON or does not match the contract', async () => {
      await using peer = await httpPeer((request, response) => {
        if (request.url === '/threads') response.writeHead(200).end('<html>sign in</html>');
        else json(response, 200, { thread_id: 7 });
      });
      const client = clientOf(peer.url);
      const page = await failure(client.threads.create({ body: {} }));
      assert.equal(page.problem, 'unreadable');
      assert.equal(page.body, '<html>sign in</html>');
      const odd = await failure(client.threads.get({ params: { thread_id: threadId } }));
      assert.equal(odd.problem, 'unreadable');
      assert.match(odd.message, /cannot read.*thread_id/s);
    });

    it('reports a response to an OpenTelemetry request when it is not valid JSON', async () => {
      await using peer = await httpPeer((_, response) => {
        response.writeHead(200).end('<html>sign in</html>');
      });
      const page = await failure(clientOf(peer.url).tracing.otlp.traces({ resourceSpans: [] }));
      assert.equal(page.problem, 'unreadable');
    });

    it('reports that nothing is listening', async () => {
      const url = await unusedAddress();
      const error = await failure(clientOf(url).threads.create({ body: {} }, { retries: 0 }));
      assert.equal(error.problem, 'unreachable');
      assert.equal(error.code, 'ECONNREFUSED');
      assert.equal(error.message, `Cannot reach ${url}: nothing is listening there.`);
    });

    it('reports a timeout', async () => {
      await using peer = await httpPeer(() => {});
      // On a busy machine, a request may take a while to reach the server.
      const timeoutMs = 1_000 * patience;
      const call = clientOf(peer.url).threads.get({ params: { thread_id: threadId } }, { timeoutMs });
      const error = await failure(call);
      assert.equal(error.problem, 'timeout');
      assert.match(error.message, new RegExp(`did not answer GET .* within ${patience} s`));
      assert.equal(peer.seen.length, 1);
    });

    it('of an aborted call is the reason of its signal', async () => {
      await using peer = await httpPeer(() => {});
      const aborter = new AbortController();
      const call = clientOf(peer.url).threads.create({ body: {} }, { signal: aborter.signal });
      setTimeout(() => aborter.abort(new Error('enough')), 20);
      await assert.rejects(call, { message: 'enough' });
    });
  });

  describe('a failed call', () => {
    it('is retried when the server was away and the call is idempotent', async () => {
      await using peer = await httpPeer((_, response, count) =>
        count === 0 ? json(response, 503, {}) : json(response, 200, thread),
      );
      const read = await clientOf(peer.url).threads.get({ params: { thread_id: threadId } });
      assert.equal(read.thread_id, threadId);
      assert.equal(peer.seen.length, 2);
    });

    it('is not retried when it may have taken effect', async () => {
      await using peer = await httpPeer((request, response) => {
        if (request.url === '/threads') json(response, 503, {});
        else response.destroy();
      });
      const client = clientOf(peer.url);
      assert.equal((await failure(client.threads.create({ body: {} }))).status, 503);
      const lost = await failure(
        client.runs.create({ params: { thread_id: threadId }, body: { assistant_id: 'agent' } }),
      );
      assert.equal(lost.problem, 'lost');
      assert.equal(peer.seen.length, 2);
    });

    it('is always retried when the server says that it had no effect and when to retry', async () => {
      await using peer = await httpPeer((_, response, count) =>
        count === 0 ? json(response, 429, {}, { 'retry-after': '0' }) : json(response, 200, thread),
      );
      await clientOf(peer.url).threads.create({ body: {} });
      assert.equal(peer.seen.length, 2);
    });

    it('is retried when no connection was made', async () => {
      const url = await unusedAddress();
      const port = Number(new URL(url).port);
      const call = clientOf(url).threads.create({ body: {} });
      await using late = await peerOn(port, thread);
      await call;
      assert.equal(late.requests, 1);
    });

    it('is not retried when retries are turned off', async () => {
      await using peer = await httpPeer((_, response) => json(response, 503, {}));
      await failure(clientOf(peer.url).deployments.list(undefined, { retries: 0 }));
      assert.equal(peer.seen.length, 1);
    });
  });

  describe('feedback by link', () => {
    const feedbackId = '11111111-1111-4111-8111-111111111111';

    it('is sent to the link without credentials', async () => {
      await using peer = await httpPeer((_, response) => json(response, 200, { feedback_id: feedbackId }));
      const id = await clientOf(peer.url).sendFeedback(`${peer.url}/api/v1/feedback/tokens/secret-token`, {
        score: 1,
        comment: 'right',
      });
      const [seen] = peer.seen;
      assert.equal(seen?.url, '/api/v1/feedback/tokens/secret-token');
      assert.deepEqual(JSON.parse(seen?.body ?? ''), { score: 1, comment: 'right' });
      assert.equal(seen?.headers['x-api-key'], undefined);
      assert.equal(id, feedbackId, 'the record can be found again');
    });

    it('is only sent to the platform and deployment it came from', async () => {
      await using peer = await httpPeer((_, response) => json(response, 200, {}));
      const away = clientOf('https://platform.example');
      await assert.rejects(
        away.sendFeedback(`${peer.url}/api/v1/feedback/tokens/secret-token`, { score: 1 }),
        (error) =>
          error instanceof RequestError && /neither the platform nor the deployment/.test(error.message),
      );
      assert.equal(peer.seen.length, 0);
    });

    it('uses its client’s network settings, such as an editor’s proxy', async () => {
      await using peer = await httpPeer((_, response) => json(response, 200, {}));
      const carried: unknown[] = [];
      const watched = dispatcher.compose((dispatch) => (options, handler) => {
        carried.push(options.path);
        return dispatch(options, handler);
      });
      const connection = { baseUrl: peer.url, controlPlaneUrl: peer.url, credentials: {} };
      const client = new Client({ connection, dispatcher: watched });
      await client.sendFeedback(`${peer.url}/api/v1/feedback/tokens/secret-token`, { score: 1 });
      assert.deepEqual(carried, ['/api/v1/feedback/tokens/secret-token']);
    });

    it('never appears in an error, because the link is a credential', async () => {
      await using peer = await httpPeer((_, response) => json(response, 404, { detail: 'Expired.' }));
      const error = await failure(
        sendPresignedFeedback(dispatcher, `${peer.url}/api/v1/feedback/tokens/secret-token`, { score: 1 }),
      );
      assert.doesNotMatch(`${error.message} ${error.path} ${error.stack}`, /secret-token/);
      assert.match(error.message, /^Expired\. \(404/);
    });
  });

  async function unusedAddress(): Promise<string> {
    await using peer = await httpPeer(() => {});
    return peer.url;
  }

  async function peerOn(port: number, body: unknown) {
    const { createServer } = await import('node:http');
    const counted = { requests: 0 };
    const server = createServer((_, response) => {
      counted.requests += 1;
      json(response, 200, body);
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return Object.assign(counted, {
      async [Symbol.asyncDispose]() {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    });
  }
});
