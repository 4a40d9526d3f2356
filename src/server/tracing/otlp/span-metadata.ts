import { isObject } from '../../../process/objects.ts';
import { type Attributes, textIn, under, valueIn } from './attributes.ts';

/** Attributes that the conventions name in their own words, or that are of no use to find a run by. */
const CONVENTIONS =
  /^(?:ai|gen_ai|llm|embedding|input|output|openinference|traceloop|langsmith|logfire|pydantic_ai|otel|exception|tag)\.|^(?:operation\.name|resource\.name|metadata|final_result|model_request_parameters)$/;
const OF_THE_MACHINE = /^(?:telemetry|process|host|os|container|k8s)\./;

/**
 * The metadata that a run can be found by: under the names of each convention, attributes that the user chose, and
 * the resource. The conversation's id is stored under a name that threads are known by.
 */
export function metadataOf(attributes: Attributes, resource: Attributes): Record<string, unknown> {
  const said = valueIn(attributes, 'metadata');
  const model = textIn(
    attributes,
    'gen_ai.response.model',
    'gen_ai.request.model',
    'llm.model_name',
    'embedding.model_name',
    'ai.response.model',
    'ai.model.id',
  );
  const provider = textIn(
    attributes,
    'gen_ai.system',
    'gen_ai.provider.name',
    'llm.provider',
    'llm.system',
    'ai.model.provider',
  );
  const conversation = textIn(attributes, 'gen_ai.conversation.id');
  const session = textIn(attributes, 'session.id');
  return {
    ...scalars(resource, (name) => !OF_THE_MACHINE.test(name)),
    ...scalars(attributes, (name) => !CONVENTIONS.test(name)),
    ...(isObject(said) ? said : {}),
    ...under(attributes, 'ai.telemetry.metadata.'),
    ...under(attributes, 'traceloop.association.properties.'),
    ...(conversation === undefined ? {} : { conversation_id: conversation }),
    ...(session === undefined ? {} : { session_id: session }),
    ...(model === undefined ? {} : { ls_model_name: model }),
    ...(provider === undefined ? {} : { ls_provider: provider }),
    ...under(attributes, 'langsmith.metadata.'),
  };
}

function scalars(attributes: Attributes, isWanted: (name: string) => boolean): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(attributes).filter(([name, value]) => typeof value !== 'object' && isWanted(name)),
  );
}
