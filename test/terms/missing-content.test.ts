import assert from 'node:assert/strict';
import { missingContent } from '../../src/terms/missing-content.ts';

const ask = (otel: object | undefined, scope = '', more: object = {}) =>
  missingContent('inputs', {
    ...{ run_type: 'llm', status: 'success', payload: {} },
    ...more,
    extra: otel === undefined ? {} : { otel, otel_scope: { name: scope } },
  });

describe('an empty payload from OpenTelemetry', () => {
  it('names the missing attribute, and the setting of the sender that the library or the attributes identify', () => {
    for (const [otel, scope, attribute, how] of [
      [
        {},
        'opentelemetry.instrumentation.openai_v2',
        'gen_ai.input.messages',
        /CAPTURE_MESSAGE_CONTENT=true$/,
      ],
      [{}, '@opentelemetry/instrumentation-openai', 'gen_ai.input.messages', /CAPTURE_MESSAGE_CONTENT=true$/],
      [
        {},
        'opentelemetry.util.genai.handler',
        'gen_ai.input.messages',
        /STABILITY_OPT_IN=.*=SPAN_AND_EVENT$/,
      ],
      [
        {},
        'opentelemetry.instrumentation.openai.v1',
        'gen_ai.input.messages',
        /^TRACELOOP_TRACE_CONTENT=true$/,
      ],
      [{}, '@traceloop/instrumentation-openai', 'gen_ai.input.messages', /^TRACELOOP_TRACE_CONTENT=true$/],
      [{ 'openinference.span.kind': 'LLM' }, '', 'llm.input_messages', /^OPENINFERENCE_HIDE_INPUTS=false$/],
      [{ 'ai.operationId': 'ai.generateText.doGenerate' }, 'ai', 'ai.prompt.messages', /recordInputs: true/],
      [{}, 'gen_ai', 'gen_ai.input.messages', /^telemetry: \{ recordInputs: true \}$/],
      [{}, 'pydantic-ai', 'gen_ai.input.messages', /include_content=True/],
      [{}, 'agent_framework', 'gen_ai.input.messages', /enable_sensitive_data=True/],
      [{}, 'gcp.vertex.agent', 'gen_ai.input.messages', /^ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS=true /],
      [{ 'copilot_chat.turn': 1 }, '', 'gen_ai.input.messages', /captureContent/],
      [{}, 'somebody', 'gen_ai.input.messages', /CAPTURE_MESSAGE_CONTENT=true$/],
    ] as const) {
      const missing = ask(otel, scope);
      assert.equal(missing?.attribute, attribute, scope);
      assert.match(missing.switch, how);
    }
    assert.equal(ask({}, '', { run_type: 'tool' })?.attribute, 'gen_ai.tool.call.arguments');
  });

  it('is not explained for other kinds of spans and tracers, or when it is there or still to come', () => {
    assert.equal(ask(undefined), undefined);
    assert.equal(ask({}, '', { run_type: 'chain' }), undefined);
    assert.equal(ask({}, '', { payload: { messages: ['hi'] } }), undefined);
    const span = { run_type: 'llm', payload: null, extra: { otel: {} } };
    for (const status of ['pending', 'error'])
      assert.equal(missingContent('outputs', { ...span, status }), undefined);
  });
});
