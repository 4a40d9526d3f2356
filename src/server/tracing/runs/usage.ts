import { isObject, memberAt } from '../../../process/objects.ts';
import { numberIn, sumOf, type TokenUsage } from '../prices/read-usage.ts';

/** The tokens and costs that the run of a model call reports. */
export interface Usage {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly totalTokens: number | null;
  readonly promptCost: number | null;
  readonly completionCost: number | null;
  readonly totalCost: number | null;
}

/**
 * Finds the usage of a model call where clients put it: `usage_metadata` in the metadata, in the outputs, or in the
 * returned message; or the older `llm_output.token_usage`.
 */
export function usageSource(metadata: unknown, outputs: unknown): Record<string, unknown> | undefined {
  const source =
    memberAt(metadata, 'usage_metadata') ??
    memberAt(outputs, 'usage_metadata') ??
    usageOfMessage(memberAt(outputs, 'message')) ??
    usageOfGenerations(memberAt(outputs, 'generations')) ??
    memberAt(memberAt(outputs, 'llm_output'), 'usage_metadata') ??
    memberAt(memberAt(outputs, 'llm_output'), 'token_usage') ??
    memberAt(memberAt(outputs, 'llmOutput'), 'tokenUsage') ??
    memberAt(memberAt(outputs, 'llm_output'), 'usage') ??
    memberAt(outputs, 'usage') ??
    memberAt(outputs, 'usageMetadata');
  return isObject(source) ? source : undefined;
}

/**
 * Determines the tokens and costs of a model call.
 * @param source the usage that the call reported.
 * @param tokens the tokens in it, as `readUsage` has read them.
 */
export function usageOf(source: Record<string, unknown>, tokens: TokenUsage): Usage {
  const { input, output, total } = tokens;
  const promptCost = numberIn(source, ['input_cost', 'prompt_cost']);
  const completionCost = numberIn(source, ['output_cost', 'completion_cost']);
  return {
    promptTokens: roundToken(input),
    completionTokens: roundToken(output),
    totalTokens: roundToken(total),
    promptCost,
    completionCost,
    totalCost: numberIn(source, ['total_cost', 'cost']) ?? sumOf(promptCost, completionCost),
  };
}

function usageOfGenerations(generations: unknown): unknown {
  const first = Array.isArray(generations) ? generations[0] : undefined;
  const generation = Array.isArray(first) ? first[0] : first;
  return usageOfMessage(memberAt(generation, 'message'));
}

/**
 * The usage in a message, which is a plain dictionary, or in LangChain's serialized form with its fields in `kwargs`.
 */
function usageOfMessage(message: unknown): unknown {
  return memberAt(message, 'usage_metadata') ?? memberAt(memberAt(message, 'kwargs'), 'usage_metadata');
}

function roundToken(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}
