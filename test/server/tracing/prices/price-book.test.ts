import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { factsOf } from '../../../../src/server/tracing/prices/call-facts.ts';
import { matchesWildcards } from '../../../../src/server/tracing/prices/match-text.ts';
import { BundledModels } from '../../../../src/server/tracing/prices/model-price.ts';
import { PriceBook } from '../../../../src/server/tracing/prices/price-book.ts';
import { costsOf } from '../../../../src/server/tracing/prices/price-run.ts';
import { readUsage } from '../../../../src/server/tracing/prices/read-usage.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** Prices in the bundled data, in dollars for a million tokens, as the providers publish them. */
const NOVEMBER = new Date('2026-11-01T12:00:00Z');

describe('the prices of model calls', () => {
  const book = new PriceBook('/no/such/folder');

  const costOf = (
    provider: string | undefined,
    model: string,
    usage: Record<string, unknown>,
    tier?: string,
    own = book,
  ) => {
    const facts = { provider, models: [model], tier };
    const priced = own.price({ usage: readUsage(usage), facts, time: NOVEMBER });
    return priced && costsOf(priced).totalCost;
  };
  const isNear = (cost: number | undefined, expected: number) =>
    assert.ok(cost !== undefined && Math.abs(cost - expected) < 1e-9, `${cost} is not ${expected}`);

  it('match the schema that they are read with', () => {
    const { providers } = book.bundled;
    assert.ok(providers.length > 30);
    for (const { models } of providers) assert.ok(BundledModels.parse(models).length > 0);
  });

  it('are unknown for a tier or details with the name of an object member', () => {
    const usage = { input_tokens: 1000, output_tokens: 100 };
    for (const name of ['constructor', '__proto__', 'toString']) {
      assert.equal(costOf('openai', 'gpt-5', usage, name), undefined);
      const { inputDetails } = readUsage({ ...usage, input_token_details: { [name]: 5 } });
      assert.deepEqual(Object.keys(inputDetails), [name]);
    }
  });

  it('subtract cached tokens from the input of an OpenAI chat completion', () => {
    const usage = {
      prompt_tokens: 1000,
      completion_tokens: 100,
      total_tokens: 1100,
      prompt_tokens_details: { cached_tokens: 400, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 60 },
    };
    isNear(costOf('openai', 'gpt-4o-2024-08-06', usage), (600 * 2.5 + 400 * 1.25 + 100 * 10) / 1e6);
  });

  it('are halved for flex and batch, and unknown for tiers whose price is not published with them', () => {
    const usage = { input_tokens: 1000, output_tokens: 100, input_tokens_details: { cached_tokens: 400 } };
    const standard = (600 * 1.25 + 400 * 0.125 + 100 * 10) / 1e6;
    isNear(costOf('openai', 'gpt-5', usage, 'default'), standard);
    isNear(costOf('openai', 'gpt-5', usage, 'flex'), standard / 2);
    isNear(costOf('openai', 'gpt-5', usage, 'batch'), standard / 2);
    assert.equal(costOf('openai', 'gpt-5', usage, 'priority'), undefined);
    // LangChain puts the tier into the names of details.
    const langchain = {
      input_tokens: 1000,
      output_tokens: 100,
      input_token_details: { flex: 600, flex_cache_read: 400 },
    };
    isNear(costOf('openai', 'gpt-5', langchain), standard / 2);
  });

  it('add what Anthropic counts beside the input, with its own price for each lifetime of a cache entry', () => {
    const usage = {
      input_tokens: 10,
      cache_creation_input_tokens: 3000,
      cache_read_input_tokens: 2000,
      cache_creation: { ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 2000 },
      output_tokens: 50,
      server_tool_use: { web_search_requests: 2 },
      service_tier: 'standard',
    };
    const { input, total } = readUsage(usage);
    assert.deepEqual([input, total], [5010, 5060]);
    const cost = (10 * 3 + 2000 * 0.3 + 1000 * 3.75 + 2000 * 6 + 50 * 15) / 1e6 + (2 * 10) / 1000;
    isNear(costOf('anthropic', 'claude-sonnet-4-5-20250929', usage), cost);
  });

  it('apply to token counts as Bedrock, Google and Mistral name them', () => {
    const bedrock = {
      inputTokens: 10,
      outputTokens: 5,
      cacheReadInputTokens: 100,
      cacheWriteInputTokens: 50,
    };
    const model = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
    isNear(costOf('amazon_bedrock', model, bedrock), (10 * 3.3 + 100 * 0.33 + 50 * 4.125 + 5 * 16.5) / 1e6);
    const google = {
      promptTokenCount: 1000,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 30,
      cachedContentTokenCount: 200,
      totalTokenCount: 1050,
    };
    isNear(costOf('google_genai', 'gemini-2.5-flash', google), (800 * 0.3 + 200 * 0.03 + 50 * 2.5) / 1e6);
    const mistral = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    isNear(costOf('mistralai', 'mistral-large-latest', mistral), (10 * 2 + 5 * 6) / 1e6);
  });

  it('are found by the name of the model when the provider is a gateway or a framework', () => {
    const usage = { input_tokens: 10, output_tokens: 5 };
    const model = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
    isNear(costOf('strands-agents', model, usage), (10 * 3.3 + 5 * 16.5) / 1e6);
    isNear(costOf('litellm', 'anthropic/claude-3-5-haiku-latest', usage), (10 * 0.8 + 5 * 4) / 1e6);
    isNear(costOf(undefined, 'gpt-4o-mini', usage), (10 * 0.15 + 5 * 0.6) / 1e6);
  });

  it('are unknown for local models, unknown models and counts that contradict each other', () => {
    const usage = { input_tokens: 10, output_tokens: 5 };
    assert.equal(costOf('ollama', 'gpt-4o', usage), undefined);
    assert.equal(costOf('openai', 'our-own-model', usage), undefined);
    const contradictory = { ...usage, input_token_details: { cache_read: 11 } };
    assert.equal(costOf('openai', 'gpt-4o', contradictory), undefined);
  });

  it('are not looked up by texts that are too long to be names', () => {
    const model = (length: number) => ({ metadata: { ls_model_name: 'm'.repeat(length) } });
    assert.equal(factsOf(model(300), {}).models.length, 1);
    assert.deepEqual(factsOf(model(301), {}).models, []);
    assert.deepEqual(factsOf({ metadata: { ls_provider: 'p'.repeat(1_000_000) } }, {}).provider, undefined);
  });

  it('in prices.json come first, are read again when they change, and are reported when they are wrong', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'prices.json');
    const models = [
      { model: 'our-*', provider: 'openai', prices: { input_mtok: 1, output_mtok: 2 } },
      { model: 'gpt-4o', until: '2026-01-01', prices: { input_mtok: 99, output_mtok: 99 } },
      {
        model: 'gpt-4o',
        from: '2026-01-01',
        prices: { input_mtok: 3, output_mtok: 4 },
        service_tiers: { priority: 2 },
      },
    ];
    await writeFile(file, JSON.stringify({ models }));
    const own = new PriceBook(folder.path);
    const usage = { input_tokens: 100, output_tokens: 10 };
    isNear(costOf('openai', 'our-model', usage, undefined, own), (100 + 20) / 1e6);
    assert.equal(costOf('azure', 'our-model', usage, undefined, own), undefined);
    isNear(costOf('openai', 'gpt-4o', usage, undefined, own), (300 + 40) / 1e6);
    isNear(costOf('openai', 'gpt-4o', usage, 'priority', own), (600 + 80) / 1e6);
    isNear(costOf('openai', 'gpt-4o-mini', usage, undefined, own), (100 * 0.15 + 10 * 0.6) / 1e6);
    await writeFile(file, '{"models":[{"model":"gpt-4o","prices":{"input":3}}]}');
    const broken = new PriceBook(folder.path);
    assert.match(
      broken.describe('w').problems[file] ?? '',
      /^models\.0\.prices\.input: "input" is not a unit; units are input_mtok/,
    );
  });

  it('of a project come before those of the user, for its calls only, and are never read through a link', async () => {
    await using folder = await temporaryFolder();
    const listed = (dollars: number) =>
      JSON.stringify({ models: [{ model: 'ours', prices: { input_mtok: dollars, output_mtok: dollars } }] });
    const project = path.join(folder.path, 'project');
    await mkdir(project);
    await writeFile(path.join(folder.path, 'prices.json'), listed(1));
    await writeFile(path.join(project, 'prices.json'), listed(2));
    const own = new PriceBook(folder.path);
    const at = { workspaceId: 'w', name: 'agent' };
    own.useFolder(at, project);
    const usage = readUsage({ input_tokens: 1_000_000, output_tokens: 0 });
    const facts = { provider: 'openai', models: ['ours'], tier: undefined };
    const cost = (of?: typeof at) => {
      const priced = own.price({ usage, facts, time: NOVEMBER, project: of });
      return priced && costsOf(priced).totalCost;
    };
    assert.deepEqual(
      [at, { ...at, name: 'other' }, { ...at, workspaceId: 'other' }, undefined].map(cost),
      [2, 1, 1, 1],
    );
    assert.deepEqual(own.describe('w').project_files, [path.join(project, 'prices.json')]);
    assert.deepEqual(own.describe('other').project_files, []);

    const linked = path.join(folder.path, 'linked');
    await mkdir(linked);
    await symlink(path.join(project, 'prices.json'), path.join(linked, 'prices.json'));
    own.useFolder(at, linked);
    assert.equal(cost(at), 1);
    assert.deepEqual(Object.values(own.describe('w').problems), ['it is not a regular file']);
  });

  it('for a name with * match any characters there, and many * take no longer', () => {
    const cases = [
      ['gpt-4o', 'GPT-4o', true],
      ['gpt-4o', 'gpt-4o-mini', false],
      ['*', '', true],
      ['ft:*:mini', 'ft:a:b:mini', true],
      ['a*a', 'a', false],
      ['a*b*c', 'a-b-b-c', true],
      ['a*b*c', 'a-c-b', false],
      ['a.c', 'abc', false],
      ['a*'.repeat(60), `${'a'.repeat(10_000)}b`, true],
      [`${'a*'.repeat(60)}c`, 'a'.repeat(10_000), false],
    ] as const;
    for (const [pattern, text, expected] of cases)
      assert.equal(matchesWildcards(pattern, text), expected, pattern.slice(0, 20));
  });
});
