import { isObject } from '../../../process/objects.ts';
import { type Attributes, numberIn, textIn, valueIn } from './attributes.ts';

/**
 * The names that senders use for the same number: the GenAI conventions and their earlier forms, OpenInference, the
 * Vercel AI SDK, and Pydantic AI.
 */
const CACHE_READ = [
  'gen_ai.usage.cache_read.input_tokens',
  'gen_ai.usage.cache_read_input_tokens',
  'llm.token_count.prompt_details.cache_read',
  'ai.usage.cachedInputTokens',
  'ai.usage.inputTokenDetails.cacheReadTokens',
  'gen_ai.usage.details.cache_read_tokens',
];
const CACHE_CREATION = [
  'gen_ai.usage.cache_write.input_tokens',
  'gen_ai.usage.cache_creation.input_tokens',
  'gen_ai.usage.cache_creation_input_tokens',
  'llm.token_count.prompt_details.cache_write',
  'ai.usage.inputTokenDetails.cacheWriteTokens',
  'gen_ai.usage.details.cache_write_tokens',
];
const REASONING = [
  'gen_ai.usage.reasoning.output_tokens',
  'llm.token_count.completion_details.reasoning',
  'ai.usage.reasoningTokens',
  'ai.usage.outputTokenDetails.reasoningTokens',
  'gen_ai.usage.details.reasoning_tokens',
];

/**
 * The tokens and costs that a span states, in the form of LangSmith's clients; `undefined` when it has none. Tokens
 * read from or written to a cache, and reasoning tokens, are included in the sums.
 */
export function usageOf(attributes: Attributes): Record<string, unknown> | undefined {
  const number = (...names: string[]) => numberIn(attributes, ...names);
  const bare = bareUsage(attributes);
  const input =
    number(
      'gen_ai.usage.input_tokens',
      'gen_ai.usage.prompt_tokens',
      'llm.token_count.prompt',
      'ai.usage.inputTokens',
      'ai.usage.promptTokens',
      'ai.usage.tokens',
    ) ?? bare?.input;
  const output =
    number(
      'gen_ai.usage.output_tokens',
      'gen_ai.usage.completion_tokens',
      'llm.token_count.completion',
      'ai.usage.outputTokens',
      'ai.usage.completionTokens',
    ) ?? bare?.output;
  const costs = costsOf(attributes);
  if (input === undefined && output === undefined) return costs;
  const total = number(
    'gen_ai.usage.total_tokens',
    'llm.usage.total_tokens',
    'llm.token_count.total',
    'ai.usage.totalTokens',
  );
  const inputDetails = details({
    cache_read: number(...CACHE_READ) ?? bare?.cacheRead,
    cache_creation: number(...CACHE_CREATION) ?? bare?.cacheCreation,
    audio: number('llm.token_count.prompt_details.audio'),
  });
  const outputDetails = details({
    reasoning: number(...REASONING),
    audio: number('llm.token_count.completion_details.audio'),
  });
  return {
    input_tokens: input ?? 0,
    output_tokens: output ?? 0,
    total_tokens: total ?? (input ?? 0) + (output ?? 0),
    ...(inputDetails === undefined ? {} : { input_token_details: inputDetails }),
    ...(outputDetails === undefined ? {} : { output_token_details: outputDetails }),
    ...costs,
  };
}

/** The usage that the sender states in LangSmith's form. */
export function langSmithUsage(attributes: Attributes): Record<string, unknown> | undefined {
  for (const name of ['langsmith.usage_metadata', 'langsmith.metadata.usage_metadata']) {
    const own = valueIn(attributes, name);
    if (isObject(own)) return own;
  }
  return undefined;
}

/** Claude Code's usage, under names without a prefix. As in Anthropic's API, the input excludes cached tokens. */
function bareUsage(attributes: Attributes) {
  if (textIn(attributes, 'gen_ai.request.model', 'model') === undefined) return undefined;
  const input = numberIn(attributes, 'input_tokens');
  const output = numberIn(attributes, 'output_tokens');
  if (input === undefined && output === undefined) return undefined;
  const cacheRead = numberIn(attributes, 'cache_read_tokens');
  const cacheCreation = numberIn(attributes, 'cache_creation_tokens');
  return { input: (input ?? 0) + (cacheRead ?? 0) + (cacheCreation ?? 0), output, cacheRead, cacheCreation };
}

/** The costs in dollars, as stated by OpenInference, OpenLIT, OpenRouter and Pydantic AI. */
function costsOf(attributes: Attributes): Record<string, unknown> | undefined {
  const number = (...names: string[]) => numberIn(attributes, ...names);
  const named = Object.entries({
    input_cost: number('llm.cost.prompt'),
    output_cost: number('llm.cost.completion'),
    total_cost: number('llm.cost.total', 'gen_ai.usage.cost', 'gen_ai.usage.total_cost', 'operation.cost'),
    input_cost_details: details({
      cache_read: number('llm.cost.prompt_details.cache_read'),
      cache_creation: number('llm.cost.prompt_details.cache_write'),
      audio: number('llm.cost.prompt_details.audio'),
    }),
    output_cost_details: details({
      reasoning: number('llm.cost.completion_details.reasoning'),
      audio: number('llm.cost.completion_details.audio'),
    }),
  }).filter(([, cost]) => cost !== undefined);
  return named.length === 0 ? undefined : Object.fromEntries(named);
}

/** The details that are not 0; undefined without any. */
function details(named: Record<string, number | undefined>): Record<string, number> | undefined {
  const known = Object.entries(named).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  return known.length === 0 ? undefined : Object.fromEntries(known);
}
