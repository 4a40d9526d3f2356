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
/** LangChain's names for details that have other names elsewhere. */
const LANGCHAIN_NAMES: ReadonlyMap<string, string> = new Map([
  ['cached_tokens', 'cache_read'],
  ['cacheReadTokens', 'cache_read'],
  ['cache_write_tokens', 'cache_creation'],
  ['cacheWriteTokens', 'cache_creation'],
  ['audio_tokens', 'audio'],
  ['reasoning_tokens', 'reasoning'],
  ['reasoningTokens', 'reasoning'],
  ['thinking_tokens', 'reasoning'],
]);
/** LangChain puts the service tier before the names of details. */
const TIER = /^(flex|priority|batch)(?:_(.+))?$/;

/**
 * Reads the usage of a model call in the form of LangSmith and LangChain, or as OpenAI (chat and responses), Anthropic,
 * Bedrock, Google, Mistral and the Vercel AI SDK send it. Cache reads and writes are part of the input here, whereas
 * Anthropic and Bedrock state them separately; thoughts are part of the output, whereas Google states them separately.
 */
export function readUsage(source: Record<string, unknown>): TokenUsage {
  const inputDetails = detailsIn(source, INPUT_DETAILS);
  const cacheRead = numberIn(source, NAMES.cacheRead);
  const cacheCreation = numberIn(source, NAMES.cacheCreation);
  const isSeparate =
    inputDetails === undefined &&
    ('input_tokens' in source || 'cacheReadInputTokens' in source || 'cacheWriteInputTokens' in source);
  const besideInput = isSeparate ? (cacheRead ?? 0) + (cacheCreation ?? 0) : 0;
  const input = plus(numberIn(source, NAMES.input), besideInput + (numberIn(source, NAMES.toolUse) ?? 0));
  const thoughts = numberIn(source, NAMES.thoughts);
  const output = plus(numberIn(source, NAMES.output), thoughts ?? 0);
  const statedTotal = numberIn(source, NAMES.total);
  const tier = Object.keys(inputDetails ?? {}).find((name) => TIER.test(name));
  return {
    input,
    output,
    // If cached tokens are beside the input, the stated total may leave them out.
    total: besideInput > 0 || statedTotal === null ? sumOf(input, output) : statedTotal,
    inputDetails: {
      ...withoutNulls({
        cache_read: cacheRead,
        cache_creation: cacheCreation,
        audio: audioTokens(source, 'prompt'),
      }),
      // Anthropic's numbers by the lifetime of the cache, such as `ephemeral_1h_input_tokens`.
      ...numbersIn(source.cache_creation),
      ...withLangChainNames(inputDetails),
    },
    outputDetails: {
      ...withoutNulls({
        reasoning: numberIn(source, NAMES.reasoning),
        audio: audioTokens(source, 'candidates'),
      }),
      ...withLangChainNames(detailsIn(source, OUTPUT_DETAILS)),
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
  return found && numbersIn(found);
}

/** The audio tokens in Google's list of modalities; null when there are none. */
function audioTokens(source: Record<string, unknown>, of: string): number | null {
  const list = source[`${of}TokensDetails`] ?? source[`${of}_tokens_details`];
  if (!Array.isArray(list)) return null;
  const audio = list.filter(isObject).find(({ modality }) => modality === 'AUDIO');
  return audio === undefined ? null : numberIn(audio, ['tokenCount', 'token_count']);
}

/** Details under LangChain's names, without the service tier. */
function withLangChainNames(details: Record<string, number> = {}): Record<string, number> {
  return Object.fromEntries(
    Object.entries(details).flatMap(([name, count]) => {
      const tier = TIER.exec(name);
      // The tier without a detail is the number of the remaining tokens.
      if (tier !== null && tier[2] === undefined) return [];
      const plain = tier?.[2] ?? name;
      return [[LANGCHAIN_NAMES.get(plain) ?? plain, count] as const];
    }),
  );
}

/** The members of an object that are valid numbers. */
function numbersIn(value: unknown): Record<string, number> {
  if (!isObject(value)) return {};
  return withoutNulls(Object.fromEntries(Object.keys(value).map((name) => [name, numberIn(value, [name])])));
}

function withoutNulls(values: Record<string, number | null>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
  );
}

/** Adds to a number; null if the number is not known and nothing is added. */
function plus(a: number | null, more: number): number | null {
  return a === null && more === 0 ? null : (a ?? 0) + more;
}

/** The sum of two numbers, of which one may be missing; null if both are. */
export function sumOf(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0);
}
