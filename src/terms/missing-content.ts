import { type Dictionary, isDictionary, saysNothing } from './fields.ts';

/** A payload that a span of OpenTelemetry lacks, though spans of its kind have it. */
export interface MissingContent {
  /** The attribute that would contain the payload. */
  readonly attribute: string;
  /** The setting that makes the sender record the payload, in code or in the environment. */
  readonly switch: string;
}

interface Sender {
  /** Names of the libraries that record the sender's spans. */
  readonly scopes: RegExp;
  /** Names of attributes that identify the sender's spans if the library is unknown. */
  readonly attributes?: RegExp;
  readonly switch: string | { readonly inputs: string; readonly outputs: string };
  /** The attributes of the messages of models, if they differ from the conventions. */
  readonly messages?: { readonly inputs: string; readonly outputs: string };
  /** The attributes of the arguments and answers of tools, if they differ from the conventions. */
  readonly tool?: { readonly inputs: string; readonly outputs: string };
}

const GENAI_MESSAGES = { inputs: 'gen_ai.input.messages', outputs: 'gen_ai.output.messages' };
const GENAI_TOOL = { inputs: 'gen_ai.tool.call.arguments', outputs: 'gen_ai.tool.call.result' };
const VALUES = { inputs: 'input.value', outputs: 'output.value' };
const CAPTURE = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT';
const CAPTURE_LATEST = `OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental ${CAPTURE}=SPAN_AND_EVENT`;

/** The first match applies. */
const SENDERS: readonly Sender[] = [
  {
    scopes: /^(?:openinference\.|@arizeai\/openinference)/,
    attributes: /^openinference\./,
    switch: { inputs: 'OPENINFERENCE_HIDE_INPUTS=false', outputs: 'OPENINFERENCE_HIDE_OUTPUTS=false' },
    messages: { inputs: 'llm.input_messages', outputs: 'llm.output_messages' },
    tool: VALUES,
  },
  {
    scopes: /^ai$/,
    attributes: /^ai\.operationId$/,
    switch: {
      inputs: 'experimental_telemetry: { isEnabled: true, recordInputs: true }',
      outputs: 'experimental_telemetry: { isEnabled: true, recordOutputs: true }',
    },
    messages: { inputs: 'ai.prompt.messages', outputs: 'ai.response.text' },
    tool: { inputs: 'ai.toolCall.args', outputs: 'ai.toolCall.result' },
  },
  {
    scopes: /^gen_ai$/,
    switch: { inputs: 'telemetry: { recordInputs: true }', outputs: 'telemetry: { recordOutputs: true }' },
  },
  {
    scopes: /^pydantic-ai$/,
    attributes: /^pydantic_ai\./,
    switch: 'InstrumentationSettings(include_content=True)',
  },
  { scopes: /^agent_framework/, switch: 'enable_instrumentation(enable_sensitive_data=True)' },
  {
    scopes: /^semantic_kernel|^Microsoft\.SemanticKernel/,
    switch: 'SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE=true',
  },
  {
    scopes: /^copilot|^github\.copilot/i,
    attributes: /^(?:github\.copilot|copilot_chat)\./,
    switch: '"github.copilot.chat.otel.captureContent": true',
  },
  {
    scopes: /^gcp\.vertex\.agent$/,
    attributes: /^gcp\.vertex\.agent\./,
    switch: `ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS=true ${CAPTURE_LATEST}`,
  },
  {
    scopes: /^opentelemetry\.instrumentation\.openai_v2$|^@opentelemetry\/instrumentation-/,
    switch: `${CAPTURE}=true`,
  },
  {
    scopes: /^opentelemetry\.(?:util\.genai|instrumentation\.google_genai|instrumentation\.vertexai)/,
    switch: CAPTURE_LATEST,
  },
  // OpenLLMetry comes last, because other instrumentations of OpenTelemetry have names of the same kind.
  {
    scopes: /^(?:@traceloop\/|opentelemetry\.instrumentation\.)/,
    attributes: /^traceloop\./,
    switch: 'TRACELOOP_TRACE_CONTENT=true',
  },
];
const UNKNOWN: Pick<Sender, 'switch'> = { switch: `${CAPTURE}=true` };

/**
 * Explains why the OpenTelemetry span of a model or a tool has an empty payload.
 * @param span its `extra` has the original attributes
 * @returns undefined if the payload exists, or if the span has another kind or another source
 */
export function missingContent(
  which: 'inputs' | 'outputs',
  span: {
    readonly run_type: string | undefined;
    readonly status: string | undefined;
    readonly payload: unknown;
    readonly extra: unknown;
  },
): MissingContent | undefined {
  const { run_type: type, status, payload, extra } = span;
  const isModel = type === 'llm';
  if ((!isModel && type !== 'tool') || !saysNothing(payload)) return undefined;
  // A failed or running span has no output.
  if (which === 'outputs' && status !== 'success') return undefined;
  if (!isDictionary(extra) || !isDictionary(extra.otel)) return undefined;
  const {
    switch: how,
    messages = GENAI_MESSAGES,
    tool = GENAI_TOOL,
  }: Omit<Sender, 'scopes'> = senderOf(extra.otel, extra.otel_scope) ?? UNKNOWN;
  return {
    attribute: (isModel ? messages : tool)[which],
    switch: typeof how === 'string' ? how : how[which],
  };
}

function senderOf(attributes: Dictionary, scope: unknown): Sender | undefined {
  const library = isDictionary(scope) && typeof scope.name === 'string' ? scope.name : '';
  const names = Object.keys(attributes);
  return (
    SENDERS.find(({ scopes }) => scopes.test(library)) ??
    SENDERS.find(({ attributes: known }) => known !== undefined && names.some((name) => known.test(name)))
  );
}
