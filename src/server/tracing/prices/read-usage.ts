import { isObject } from '../../../process/objects.ts';

/** Larger counts are errors of the sender and are ignored, so that sums stay exact. */
const MAX_COUNT = 1e12;

/** The tokens of a model call. Details are included in the sums. */
export interface TokenUsage {
  readonly input: number | null;
  readonly output: number | null;
  readonly total: number | null;
  /** Details under LangSmith's and LangChain's names, such as `cache_read` and `audio`. */
  readonly inputDetails: Readonly<Record<string, number>>;
  readonly outputDetails: Readonly<Record<string, number>>;
  readonly webSearches: number;
  /** The service tier, if LangChain's names of details contain one. */
  readonly tier: string | undefined;
}

const NAMES = {
  input: ['input_tokens', 'prompt_tokens', 'promptTokens', 'inputTokens', ...google('prompt')],
  output: ['output_tokens', 'completion_tokens', 'completionTokens', 'outputTokens', ...google('candidates')],
  total: ['total_tokens', 'totalTokens', ...google('total')],
  cacheRead: [
    'cache_read_input_tokens',
    'cacheReadInputTokens',
    'cachedInputTokens',
    ...google('cachedContent'),
  ],
  cacheCreation: ['cache_creation_input_tokens', 'cacheWriteInputTokens'],
  reasoning: ['reasoningTokens', ...google('thoughts')],
  thoughts: google('thoughts'),
  toolUse: google('toolUsePrompt'),
};
const INPUT_DETAILS = [
  'input_token_details',
  'prompt_tokens_details',
  'input_tokens_details',
  'inputTokenDetails',
];
const OUTPUT_DETAILS = [
  'output_token_details',
  'completion_tokens_details',
  'output_tokens_details',
  'outputTokenDetails',
];
/** Other names of details, and LangChain's names for them. */
const SAME: Readonly<Record<string, string>> = {
  cached_tokens: 'cache_read',
  cacheReadTokens: 'cache_read',
  cache_write_tokens: 'cache_creation',
  cacheWriteTokens: 'cache_creation',
  audio_tokens: 'audio',
  reasoning_tokens: 'reasoning',
  reasoningTokens: 'reasoning',
  thinking_tokens: 'reasoning',
};
/** LangChain puts the service tier before the names of details. */
const TIER = /^(flex|priority|batch)(?:_(.+))?$/;

/**
 * Reads the usage of a model call in the form of LangSmith and LangChain, or as OpenAI (chat and responses), Anthropic,
 * Bedrock, Google, Mistral and the Vercel AI SDK send it. Cache reads and writes are part of the input here, whereas
 * Anthropic and Bedrock state them separately; thoughts are part of the output, whereas Google states them separately.
 */
export function readUsage(source: Record<string, unknown>): TokenUsage {
  const said = detailsIn(source, INPUT_DETAILS);
  const cacheRead = numberIn(source, NAMES.cacheRead);
  const cacheCreation = numberIn(source, NAMES.cacheCreation);
  const isApart =
    said === undefined &&
    ('input_tokens' in source || 'cacheReadInputTokens' in source || 'cacheWriteInputTokens' in source);
  const besideInput = isApart ? (cacheRead ?? 0) + (cacheCreation ?? 0) : 0;
  const input = sum(numberIn(source, NAMES.input), besideInput + (numberIn(source, NAMES.toolUse) ?? 0));
  const thoughts = numberIn(source, NAMES.thoughts);
  const output = sum(numberIn(source, NAMES.output), thoughts ?? 0);
  const tier = Object.keys(said ?? {}).find((name) => TIER.test(name));
  return {
    input,
    output,
    total:
      besideInput > 0 || numberIn(source, NAMES.total) === null
        ? both(input, output)
        : numberIn(source, NAMES.total),
    inputDetails: {
      ...known({ cache_read: cacheRead, cache_creation: cacheCreation, audio: ofModality(source, 'prompt') }),
      ...numbers(source.cache_creation),
      ...named(said),
    },
    outputDetails: {
      ...known({ reasoning: numberIn(source, NAMES.reasoning), audio: ofModality(source, 'candidates') }),
      ...named(detailsIn(source, OUTPUT_DETAILS)),
    },
    webSearches:
      numberIn(isObject(source.server_tool_use) ? source.server_tool_use : {}, ['web_search_requests']) ?? 0,
    tier: tier === undefined ? undefined : TIER.exec(tier)?.[1],
  };
}

/** @returns a valid number of tokens or dollars; null when none of the names has one. */
export function numberIn(source: Record<string, unknown>, names: readonly string[]): number | null {
  for (const name of names) {
    const value = source[name];
    if (typeof value === 'number' && value >= 0 && value <= MAX_COUNT) return value;
  }
  return null;
}

/** Google's names for a count, in JSON and in Python. */
function google(of: string): string[] {
  return [`${of}TokenCount`, `${of.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_token_count`];
}

function detailsIn(
  source: Record<string, unknown>,
  names: readonly string[],
): Record<string, number> | undefined {
  const found = names.map((name) => source[name]).find(isObject);
  return found && numbers(found);
}

/** The tokens of a modality in Google's list. */
function ofModality(source: Record<string, unknown>, of: string): number | null {
  const list = source[`${of}TokensDetails`] ?? source[`${of}_tokens_details`];
  if (!Array.isArray(list)) return null;
  const audio = list.filter(isObject).find(({ modality }) => modality === 'AUDIO');
  return audio === undefined ? null : numberIn(audio, ['tokenCount', 'token_count']);
}

function named(details: Record<string, number> = {}): Record<string, number> {
  return Object.fromEntries(
    Object.entries(details).flatMap(([name, count]) => {
      const tier = TIER.exec(name);
      // The tier without a detail is the number of the remaining tokens.
      if (tier !== null && tier[2] === undefined) return [];
      const plain = tier?.[2] ?? name;
      return [[SAME[plain] ?? plain, count] as const];
    }),
  );
}

function numbers(value: unknown): Record<string, number> {
  if (!isObject(value)) return {};
  return known(Object.fromEntries(Object.keys(value).map((name) => [name, numberIn(value, [name])])));
}

function known(values: Record<string, number | null>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
  );
}

function sum(a: number | null, more: number): number | null {
  return a === null && more === 0 ? null : (a ?? 0) + more;
}

function both(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0);
}
