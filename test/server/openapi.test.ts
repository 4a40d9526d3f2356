import assert from 'node:assert/strict';
import { runs } from '../../src/contract/agent-server/runs.ts';
import { system } from '../../src/contract/agent-server/system.ts';
import { threads } from '../../src/contract/agent-server/threads.ts';
import { codingAgents } from '../../src/contract/coding-agents.ts';
import { harbor } from '../../src/contract/harbor.ts';
import { docsPage } from '../../src/server/http/docs-page.ts';
import { openApiDocument } from '../../src/server/http/openapi.ts';

const endpoints = [...Object.values(threads), ...Object.values(runs), ...Object.values(harbor)];

describe('the interface description', () => {
  it('contains every endpoint with its parameters, body and answers', () => {
    const document = JSON.parse(JSON.stringify(openApiDocument('T', endpoints)));
    assert.equal(document.openapi, '3.1.0');
    for (const { path, method } of endpoints)
      assert.ok(document.paths[path]?.[method.toLowerCase()], `${method} ${path}`);
    const wait = document.paths['/threads/{thread_id}/runs/wait'].post;
    assert.deepEqual(wait.parameters, [
      { name: 'thread_id', in: 'path', required: true, schema: wait.parameters[0].schema },
    ]);
    const body = wait.requestBody.content['application/json'].schema;
    assert.deepEqual(body.required, ['assistant_id']);
    assert.deepEqual(body.properties.stream_mode.anyOf.length, 2);
    assert.ok(wait.responses['200'] && wait.responses['422']);
  });

  it('contains the bodies of endpoints that answer in another form', () => {
    const all = Object.values(codingAgents);
    const document = JSON.parse(JSON.stringify(openApiDocument('T', all)));
    const withBody = all.filter((endpoint) => endpoint.kind === 'raw' && endpoint.body !== undefined);
    assert.ok(withBody.length > 0);
    for (const { path, method } of withBody) {
      const { requestBody } = document.paths[path][method.toLowerCase()];
      assert.ok(requestBody?.content['application/json'].schema, `${method} ${path}`);
    }
  });

  it('contains each form in which an endpoint answers', () => {
    const document = JSON.parse(JSON.stringify(openApiDocument('T', Object.values(system))));
    const { content } = document.paths['/metrics'].get.responses['200'];
    assert.deepEqual(Object.keys(content), ['text/plain; version=0.0.4; charset=utf-8', 'application/json']);
  });

  it('contains the credentials that endpoints require', () => {
    const document = JSON.parse(JSON.stringify(openApiDocument('T', endpoints)));
    assert.deepEqual(document.paths['/harbor/handshake'].get.security[0], { apiKey: [] });
    assert.deepEqual(document.paths['/threads'].post.security, []);
  });

  it('is also a page without scripts', () => {
    const page = docsPage('A <title>', endpoints);
    assert.ok(page.includes('A &lt;title&gt;'));
    for (const { path } of endpoints) assert.ok(page.includes(path));
    assert.doesNotMatch(page, /<script/);
  });
});
