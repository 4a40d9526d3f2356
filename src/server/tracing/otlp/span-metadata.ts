import { isObject } from '../../../process/objects.ts';
import { type Attributes, parsedStructure, textIn, under, valueIn } from './attributes.ts';

/** Attributes that are stored elsewhere, as the conventions define, or that are useless for finding a run. */
const NOT_METADATA =
  /^(?:ai|gen_ai|llm|embedding|input|output|openinference|traceloop|langsmith|logfire|pydantic_ai|otel|exception|tag|retrieval|reranker)\.|^mastra\.\w+\.(?:input|output)$|^gcp\.vertex\.agent\.(?:llm_request|llm_response|tool_call_args|tool_response|data)$|^(?:operation\.name|resource\.name|metadata|final_result|model_request_parameters)$/;
/** Attributes of the resource that say where the sender is running, or that are meant for the receiver. */
const MACHINE_ATTRIBUTES =
  /^(?:telemetry|process|host|os|container|k8s)\.|^langsmith\.internal_provider$|^openinference\.project\.name$/;
/** The attributes in which senders name the conversation, and the metadata keys that identify threads. */
const CONVERSATIONS = {
  conversation_id: ['gen_ai.conversation.id', 'ai.telemetry.metadata.conversationId'],
  session_id: [
    'session.id',
    'langfuse.session.id',
    'gcp.vertex.agent.session_id',
    'ai.telemetry.metadata.sessionId',
  ],
  thread_id: ['mastra.metadata.threadId', 'ai.telemetry.metadata.threadId'],
} as const;

/**
 * The metadata by which a run can be found: attributes that the user chose, attributes of the resource, and the model,
 * the provider and the conversation, which each convention names differently.
 */
export function metadataOf(attributes: Attributes, resource: Attributes): Record<string, unknown> {
  const metadata = valueIn(attributes, 'metadata');
  const model =
    textIn(
      attributes,
      'gen_ai.response.model',
      'gen_ai.request.model',
      'llm.model_name',
      'embedding.model_name',
      'ai.response.model',
      'ai.model.id',
    ) ?? requestedModel(attributes);
  const provider = textIn(
    attributes,
    'gen_ai.system',
    'gen_ai.provider.name',
    'llm.provider',
    'llm.system',
    'ai.model.provider',
  );
  return {
    ...scalars(resource, (name) => !MACHINE_ATTRIBUTES.test(name)),
    ...scalars(attributes, (name) => !NOT_METADATA.test(name)),
    ...(isObject(metadata) ? metadata : {}),
    ...under(attributes, 'ai.telemetry.metadata.'),
    ...under(attributes, 'traceloop.association.properties.'),
    ...conversationsOf(attributes),
    ...(model === undefined ? {} : { ls_model_name: model }),
    ...(provider === undefined ? {} : { ls_provider: provider }),
    ...withStructures(under(attributes, 'langsmith.metadata.')),
  };
}

/** The requested model, because a failed call has no other model name. */
function requestedModel(attributes: Attributes): string | undefined {
  if (textIn(attributes, 'openinference.span.kind')?.toUpperCase() !== 'LLM') return undefined;
  for (const name of ['llm.invocation_parameters', 'input.value']) {
    const request = valueIn(attributes, name);
    const model = isObject(request) ? textIn(request, 'model', 'model_name') : undefined;
    if (model !== undefined) return model;
  }
  return undefined;
}

function conversationsOf(attributes: Attributes): Record<string, string> {
  return Object.fromEntries(
    Object.entries(CONVERSATIONS).flatMap(([name, names]) => {
      const id = textIn(attributes, ...names);
      return id === undefined ? [] : [[name, id] as const];
    }),
  );
}

/** Parses the user's metadata where it is JSON text, because attributes cannot be objects. */
function withStructures(metadata: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, parsedStructure(value)]));
}

function scalars(attributes: Attributes, isWanted: (name: string) => boolean): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(attributes).filter(([name, value]) => typeof value !== 'object' && isWanted(name)),
  );
}
