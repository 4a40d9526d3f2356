import assert from 'node:assert/strict';
import { webhookAddress } from '../../../../src/server/agent-server/webhooks/webhook-policy.ts';

const own = new Set([2024]);

describe('the address of a webhook', () => {
  it('may be on any host, also on this machine', () => {
    assert.equal(String(webhookAddress('https://example.com/hook', {}, own)), 'https://example.com/hook');
    assert.equal(String(webhookAddress('http://localhost:3000/hook', {}, own)), 'http://localhost:3000/hook');
  });

  it('is never one of this server, under any name', () => {
    for (const host of [
      'localhost',
      '127.0.0.1',
      '127.1',
      '[::1]',
      '0.0.0.0',
      'agent.localhost',
      '[::ffff:127.0.0.1]',
      '2130706433',
      'localhost.',
      'LOCALHOST',
      'ip6-localhost',
      '[::]',
      '[::127.0.0.1]',
      '[::ffff:0:127.0.0.1]',
      '[64:ff9b::127.0.0.1]',
      '0.1.2.3',
    ]) {
      assert.throws(
        () => webhookAddress(`http://${host}:2024/threads`, {}, own),
        /port of this server/,
        host,
      );
    }
    assert.throws(() => webhookAddress('/threads', {}, own), /disable_loopback: false/);
    for (const path of ['//example.com', '/\\example.com', '/\t/example.com', '/\r\n\\example.com']) {
      assert.throws(() => webhookAddress(path, { disable_loopback: false }, own), /URL is not valid/, path);
    }
    assert.equal(webhookAddress('/hook', { disable_loopback: false }, own), 'own');
  });

  it('follows the rules of langgraph.json', () => {
    assert.throws(() => webhookAddress('http://a.example', { require_https: true }, own), /https/);
    assert.throws(
      () => webhookAddress('http://localhost:1', { disable_loopback: true }, own),
      /this machine/,
    );
    assert.throws(
      () => webhookAddress('http://[::127.0.0.1]:1', { disable_loopback: true }, own),
      /this machine/,
    );
    for (const elsewhere of ['128.0.0.1', '[::ffff:8.8.8.8]', '[2001:db8::1]', 'localhost.example']) {
      assert.ok(webhookAddress(`http://${elsewhere}:2024/`, { disable_loopback: true }, own), elsewhere);
    }
    assert.throws(
      () => webhookAddress('http://b.example', { allowed_domains: ['a.example'] }, own),
      /allowed_domains/,
    );
    assert.ok(webhookAddress('http://x.a.example', { allowed_domains: ['*.a.example'] }, own));
    assert.throws(
      () => webhookAddress('http://xa.example', { allowed_domains: ['*.A.example', 'b.example'] }, own),
      /allowed_domains/,
    );
    assert.throws(() => webhookAddress('http://a.example:1', { allowed_ports: [443] }, own), /allowed_ports/);
    assert.throws(() => webhookAddress('file:///etc/passwd', {}, own), /http/);
  });
});

describe('the allowed domains of webhooks', () => {
  it('are compared like host names, whatever their case and spelling', () => {
    const cases = [
      ['http://hooks.example', 'Hooks.Example'],
      ['http://HOOKS.example', 'hooks.example'],
      ['http://x.hooks.example', '*.Hooks.Example'],
      ['http://hooks.example./', 'hooks.example'],
      ['http://bücher.example', 'bücher.example'],
      ['http://x.bücher.example', '*.Bücher.example'],
      ['http://[2001:db8::1]/', '[2001:DB8:0::1]'],
    ] as const;
    for (const [url, domain] of cases)
      assert.ok(webhookAddress(url, { allowed_domains: [domain] }, own), `${url} ${domain}`);
  });

  it('match no host if they are more than a host', () => {
    const cases = [
      ['http://hooks.example', 'hooks.example:80'],
      ['http://[2001:db8::1]/', '[2001:db8::1]:80'],
      ['http://hooks.example', '[2001:db8::1]@hooks.example'],
      ['http://[2001:db8::1]/', '[2001:db8::1]/path'],
    ] as const;
    for (const [url, domain] of cases)
      assert.throws(() => webhookAddress(url, { allowed_domains: [domain] }, own), /allowed_domains/, domain);
  });
});
