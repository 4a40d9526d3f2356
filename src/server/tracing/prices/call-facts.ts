import { isObject, memberAt } from '../../../process/objects.ts';

/** Longer texts are not names, and comparing them with those of all models would be slow. */
const MAX_NAME_LENGTH = 300;

/** The facts by which a price is looked up. */
export interface CallFacts {
  readonly provider: string | undefined;
  /** The names of the model: first that of the model that answered, then that of the requested one. */
  readonly models: readonly string[];
  readonly tier: string | undefined;
}

/**
 * Reads the provider, model and service tier of a model call from the places where LangSmith's clients and
 * OpenTelemetry put them.
 */
export function factsOf(extra: unknown, outputs: unknown): CallFacts {
  const otel = memberAt(extra, 'otel');
  const metadata = memberAt(extra, 'metadata');
  const parameters = memberAt(extra, 'invocation_params');
  const response = responsesIn(outputs);
  const answered = texts(
    response,
    'model',
    'model_name',
    'modelName',
    'model_id',
    'modelVersion',
    'model_version',
  );
  const models = [
    ...texts([otel], 'gen_ai.response.model', 'llm.response.model', 'ai.response.model'),
    ...answered,
    ...texts([otel], 'llm.model_name', 'embedding.model_name', 'gen_ai.request.model', 'ai.model.id'),
    ...texts([metadata], 'ls_model_name'),
    ...texts([parameters], 'model', 'model_name', 'modelName', 'model_id'),
  ];
  const provider =
    firstText(
      [otel],
      'gen_ai.provider.name',
      'llm.provider',
      'gen_ai.system',
      'llm.system',
      'ai.model.provider',
    ) ?? firstText([metadata], 'ls_provider');
  const tier =
    firstText(
      [otel],
      'openai.response.service_tier',
      'gen_ai.openai.response.service_tier',
      'gen_ai.response.service_tier',
    ) ??
    firstText(response, 'service_tier', 'serviceTier') ??
    firstText([metadata], 'ls_service_tier') ??
    firstText(
      [otel],
      'openai.request.service_tier',
      'gen_ai.openai.request.service_tier',
      'gen_ai.request.service_tier',
    ) ??
    firstText([parameters], 'service_tier');
  return { provider, models: [...new Set(models)], tier };
}

/** The objects in a response that may name its model. */
function responsesIn(outputs: unknown): unknown[] {
  const generations = memberAt(outputs, 'generations');
  const first = Array.isArray(generations) ? generations[0] : undefined;
  const generation = Array.isArray(first) ? first[0] : first;
  const messages = [memberAt(outputs, 'message'), memberAt(generation, 'message'), outputs];
  const metadata = messages.map(
    (message) =>
      memberAt(message, 'response_metadata') ?? memberAt(memberAt(message, 'kwargs'), 'response_metadata'),
  );
  const usage = [memberAt(outputs, 'usage'), memberAt(outputs, 'usage_metadata')];
  return [...metadata, outputs, memberAt(outputs, 'llm_output'), memberAt(outputs, 'llmOutput'), ...usage];
}

/** Collects the names in these objects. This is a loop because it runs several times for every stored model call. */
function texts(places: readonly unknown[], ...names: string[]): string[] {
  const found: string[] = [];
  for (const place of places) {
    if (!isObject(place)) continue;
    for (const name of names) {
      const text = textOf(place[name]);
      if (text !== undefined) found.push(text);
    }
  }
  return found;
}

function firstText(places: readonly unknown[], ...names: string[]): string | undefined {
  for (const place of places) {
    if (!isObject(place)) continue;
    for (const name of names) {
      const text = textOf(place[name]);
      if (text !== undefined) return text;
    }
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_NAME_LENGTH) return undefined;
  const text = value.trim();
  return text === '' ? undefined : text;
}
