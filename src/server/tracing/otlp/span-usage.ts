import { isObject } from '../../../process/objects.ts';
import { type Attributes, numberIn, valueIn } from './attributes.ts';

/**
 * The tokens that a model call used, as LangSmith's clients write them; `undefined` when the span does not say.
 * Only for spans of models: agents say the sum of the calls below them, which would count twice.
 */
export function usageOf(attributes: Attributes): Record<string, unknown> | undefined {
  const number = (...names: string[]) => numberIn(attributes, ...names);
  const input = number(
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'llm.token_count.prompt',
    'ai.usage.inputTokens',
    'ai.usage.promptTokens',
    'ai.usage.tokens',
  );
  const output = number(
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'llm.token_count.completion',
    'ai.usage.outputTokens',
    'ai.usage.completionTokens',
  );
  if (input === undefined && output === undefined) return undefined;
  const total = number(
    'gen_ai.usage.total_tokens',
    'llm.usage.total_tokens',
    'llm.token_count.total',
    'ai.usage.totalTokens',
  );
  const inputDetails = details({
    cache_read: number(
      'gen_ai.usage.cache_read.input_tokens',
      'llm.token_count.prompt_details.cache_read',
      'ai.usage.cachedInputTokens',
    ),
  });
  const outputDetails = details({
    reasoning: number(
      'gen_ai.usage.reasoning.output_tokens',
      'llm.token_count.completion_details.reasoning',
      'ai.usage.reasoningTokens',
    ),
  });
  return {
    input_tokens: input ?? 0,
    output_tokens: output ?? 0,
    total_tokens: total ?? (input ?? 0) + (output ?? 0),
    ...(inputDetails === undefined ? {} : { input_token_details: inputDetails }),
    ...(outputDetails === undefined ? {} : { output_token_details: outputDetails }),
  };
}

/** The usage that the sender itself states. */
export function ownUsage(attributes: Attributes): Record<string, unknown> | undefined {
  const own = valueIn(attributes, 'langsmith.usage_metadata');
  return isObject(own) ? own : undefined;
}

function details(named: Record<string, number | undefined>): Record<string, number> | undefined {
  const known = Object.entries(named).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  return known.length === 0 ? undefined : Object.fromEntries(known);
}
