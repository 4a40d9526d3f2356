import assert from 'node:assert/strict';
import { Masker } from '../../src/replay/mask.ts';
import { maskRequest, maskResponse } from '../../src/replay/mask-exchange.ts';
import { secretValues } from '../../src/replay/secret-values.ts';

const VALUES = Array.from({ length: 10 }, (_, at) => `v4lue-${at}-with "quotes" & umläuts/${at}`);

describe('the masker of run files', () => {
  const masker = new Masker(
    secretValues(Object.fromEntries(VALUES.map((value, at) => [`PLAIN_${at}`, value]))),
  );

  it('replaces the values of variables as they are in texts, JSON, addresses and base64', () => {
    for (const value of VALUES) {
      const forms = [
        value,
        JSON.stringify({ nested: JSON.stringify({ value }) }),
        encodeURIComponent(value),
        Buffer.from(value).toString('base64'),
      ];
      for (const form of forms) {
        const masked = masker.text(`before ${form} after`);
        assert.equal(masked.length, `before ${form} after`.length);
        assert.ok(!masked.includes(value.slice(0, 8)), masked);
        assert.match(masked, /^before .* after$/);
      }
    }
  });

  it('replaces headers, parameters and fields by their names, and nothing that only counts tokens', () => {
    const masked = maskRequest(
      {
        method: 'POST',
        url: 'https://user:hunter2@models.test/v1?key=abcdef&page=2&access_token=ghijkl',
        headers: [
          ['Authorization', 'Bearer 123'],
          ['x-api-key', 'short'],
          ['Cookie', 'a=b'],
          ['content-type', 'application/json'],
        ],
        body: {
          encoding: 'utf8',
          data: '{"clientSecret":"s\\"x","max_tokens":5,"next_page_token":"n","key":"k","deep":{"password":"pw"},"arguments":"{\\"api_key\\": \\"abc\\"}"}',
        },
      },
      masker,
    );
    assert.deepEqual(masked, {
      method: 'POST',
      url: 'https://user:*******@models.test/v1?key=******&page=2&access_token=******',
      headers: [
        ['Authorization', '**********'],
        ['x-api-key', '*****'],
        ['Cookie', '***'],
        ['content-type', 'application/json'],
      ],
      body: {
        encoding: 'utf8',
        data: '{"clientSecret":"****","max_tokens":5,"next_page_token":"n","key":"k","deep":{"password":"**"},"arguments":"{\\"api_key\\": \\"***\\"}"}',
      },
    });
  });

  it('finds a secret that is split between two chunks of a response, and keeps their boundaries', () => {
    const secret = 'sk-proj-abcdefghijklmnop1234';
    const text = ['data: ', secret.slice(0, 10), `${secret.slice(10)} end`];
    const plain = { status: 200, headers: [] };
    const masked = maskResponse({ ...plain, encoding: 'utf8', chunks: text }, masker);
    assert.deepEqual(masked.chunks, ['data: ', '**********', `${'*'.repeat(18)} end`]);
    const encoded = text.map((chunk) => Buffer.from(chunk).toString('base64'));
    const { chunks } = maskResponse({ ...plain, encoding: 'base64', chunks: encoded }, masker);
    assert.deepEqual(
      chunks.map((chunk) => Buffer.from(chunk, 'base64').toString()),
      masked.chunks,
    );
  });

  it('leaves choices that are not secrets: names of models, numbers, words, addresses', () => {
    const variables = {
      MODEL: 'gpt-4o-mini',
      NODE_ENV: 'production',
      PORT: '1234567',
      ENDPOINT: 'https://models.example.test/v1',
      DATABASE: 'postgres://me:p4ssw0rd@host/db',
      API_KEY: 'abcdef',
    };
    assert.deepEqual(
      secretValues(variables).map(({ name }) => name),
      ['DATABASE', 'API_KEY'],
    );
  });

  it('reaches into values of JSON, and into bytes in base64', () => {
    const [value = ''] = VALUES;
    const data = Buffer.from(`\x82\xa4${value}`, 'latin1').toString('base64');
    const masked = masker.json({
      list: [value],
      credentials: { user: 'me' },
      stored: { type: 'msgpack', encoding: 'base64', data },
    });
    const text = JSON.stringify(masked);
    assert.ok(!text.includes('umläuts'));
    assert.deepEqual(Object.assign({}, masked), {
      list: ['*'.repeat(value.length)],
      credentials: { user: '**' },
      stored: {
        type: 'msgpack',
        encoding: 'base64',
        data: Buffer.from(`\x82\xa4${'*'.repeat(value.length)}`, 'latin1').toString('base64'),
      },
    });
  });

  it('replaces the beginning of a secret where an answer was cut off', () => {
    const [value = ''] = VALUES;
    for (const [before, begun] of [
      ['said: ', value.slice(0, 9)],
      ['{"api_key": "', 'hunter'],
      ['{\\"password\\": \\"', 'hunter'],
      ['use ', 'sk-abc'],
      ['Bearer ', 'abc'],
      ['the ', '-----BEGIN PRIVATE KEY-----\nMIIE'],
    ] as const) {
      const response = { status: 200, headers: [], encoding: 'utf8' as const, chunks: [before, begun] };
      assert.deepEqual(maskResponse({ ...response, cut: true }, masker).chunks, [
        before,
        '*'.repeat(begun.length),
      ]);
    }
    const plain = {
      status: 200,
      headers: [],
      encoding: 'utf8' as const,
      chunks: ['{"text": "a wo'],
      cut: true,
    };
    assert.deepEqual(maskResponse(plain, masker).chunks, plain.chunks);
  });
});
