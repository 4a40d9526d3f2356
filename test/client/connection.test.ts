import assert from 'node:assert/strict';
import {
  addressBelow,
  cloudConnection,
  localConnection,
  platformAddress,
  selfHostedConnection,
} from '../../src/client/connection.ts';

describe('a connection', () => {
  it('to the embedded server has one URL for the platform and another for a deployment', () => {
    const connection = localConnection({
      baseUrl: 'http://127.0.0.1:4000',
      apiKey: 'k',
      deploymentUrl: 'http://127.0.0.1:2024',
    });
    assert.deepEqual(connection, {
      baseUrl: 'http://127.0.0.1:4000',
      controlPlaneUrl: 'http://127.0.0.1:4000',
      deploymentUrl: 'http://127.0.0.1:2024',
      credentials: { apiKey: 'k', headers: { 'x-auth-scheme': 'langsmith' } },
    });
  });

  it('to the cloud has the hosts of its region', () => {
    assert.equal(cloudConnection('us', {}).controlPlaneUrl, 'https://api.host.langchain.com');
    assert.equal(cloudConnection('eu', {}).controlPlaneUrl, 'https://eu.api.host.langchain.com');
    assert.equal(cloudConnection('us', {}).baseUrl, 'https://api.smith.langchain.com');
    assert.equal(cloudConnection('eu', {}).baseUrl, 'https://eu.api.smith.langchain.com');
  });

  for (const host of [
    'https://harbor.example.com',
    'https://harbor.example.com/api/v1/',
    'https://harbor.example.com/api',
  ]) {
    it(`to a self-hosted installation given as ${host} keeps the control plane under /api-host`, () => {
      const connection = selfHostedConnection(host, {});
      assert.equal(connection.controlPlaneUrl, 'https://harbor.example.com/api-host');
      assert.equal(connection.baseUrl, 'https://harbor.example.com/api/v1');
    });
  }
});

describe('the URL of a path', () => {
  it('is below the path of the control plane or deployment', () => {
    assert.equal(
      addressBelow('https://h/api-host', '/v2/deployments').href,
      'https://h/api-host/v2/deployments',
    );
    assert.equal(addressBelow('http://h/mounted/', '/threads').href, 'http://h/mounted/threads');
  });

  const cases: [string, string, string][] = [
    ['https://h', '/runs/multipart', 'https://h/runs/multipart'],
    ['https://h', '/api/v1/runs/delete', 'https://h/api/v1/runs/delete'],
    ['https://h', '/v1/platform/datasets', 'https://h/v1/platform/datasets'],
    ['https://h/api/v1', '/runs/multipart', 'https://h/api/v1/runs/multipart'],
    ['https://h/api/v1', '/api/v1/runs/delete', 'https://h/api/v1/runs/delete'],
    ['https://h', '/v2/runs/query', 'https://h/api/v2/runs/query'],
    ['https://h/api/v1', '/v2/runs/query', 'https://h/api/v2/runs/query'],
    ['https://h/api/v1', '/v1/platform/datasets', 'https://h/api/v1/platform/datasets'],
    ['https://h/team/api', '/sessions', 'https://h/team/api/v1/sessions'],
  ];
  for (const [base, path, address] of cases) {
    it(`of the platform at ${base} is ${address}`, () => {
      assert.equal(platformAddress(base, path).href, address);
    });
  }
});
