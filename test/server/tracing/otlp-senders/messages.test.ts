import assert from 'node:assert/strict';
import { OtlpSender } from '../../../support/otlp-senders.ts';
import { type Platform, startPlatform } from '../../../support/platform.ts';

/** Reduced to the attributes that each sender documents or was seen to send; written by hand, not recorded. */
describe('the messages of OTLP instrumentations', () => {
  let platform: Platform;
  let sender: OtlpSender;
  before(async () => {
    platform = await startPlatform();
    sender = new OtlpSender(platform);
  });
  after(() => platform.close());

  it('from OpenLLMetry are put back together, with the tools they call', async () => {
    const run = await sender.span({
      'llm.request.type': 'chat',
      'gen_ai.request.model': 'm',
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'Weather?',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.tool_calls.0.id': 'c1',
      'gen_ai.completion.0.tool_calls.0.name': 'get_weather',
      'gen_ai.completion.0.tool_calls.0.arguments': '{"city":"Paris"}',
    });
    assert.deepEqual(
      [run.run_type, run.inputs, run.outputs],
      [
        'llm',
        { messages: [{ role: 'user', content: 'Weather?' }] },
        {
          messages: [
            {
              role: 'assistant',
              tool_calls: [{ id: 'c1', name: 'get_weather', args: { city: 'Paris' } }],
            },
          ],
        },
      ],
    );
  });

  it('from OpenInference take precedence over its values, with tools and parameters beside them', async () => {
    const run = await sender.span({
      'openinference.span.kind': 'LLM',
      'input.value': "ChatMessage(role='user', ...)",
      'output.value': 'assistant: ',
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.contents.0.message_content.type': 'text',
      'llm.input_messages.0.message.contents.0.message_content.text': 'Weather?',
      'llm.input_messages.0.message.contents.1.message_content.type': 'image',
      'llm.input_messages.0.message.contents.1.message_content.image.image.url': 'https://a.test/p.png',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.tool_calls.0.tool_call.id': 'c1',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'get_weather',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': '{"city":"Paris"}',
      'llm.tools.0.tool.json_schema': '{"name":"get_weather"}',
      'llm.invocation_parameters': '{"model":"gpt-5","temperature":0}',
    });
    assert.deepEqual(run.inputs, {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Weather?' },
            { type: 'image_url', image_url: { url: 'https://a.test/p.png' } },
          ],
        },
      ],
      tools: [{ name: 'get_weather' }],
      invocation_params: { model: 'gpt-5', temperature: 0 },
    });
    assert.deepEqual(run.outputs, {
      messages: [
        { role: 'assistant', tool_calls: [{ id: 'c1', name: 'get_weather', args: { city: 'Paris' } }] },
      ],
    });
    assert.equal(run.extra.metadata.ls_model_name, 'gpt-5');
    assert.equal(run.extra.otel['output.value'], 'assistant: ');
  });

  it('from OpenInference are its `input.value` and `output.value` when it sends no messages', async () => {
    const run = await sender.span({
      'openinference.span.kind': 'LLM',
      'input.value': '{"prompt":"Weather?","model":"gpt-5"}',
      'output.value': 'Sunny',
    });
    assert.deepEqual(
      [run.inputs, run.outputs, run.extra.metadata.ls_model_name],
      [{ prompt: 'Weather?', model: 'gpt-5' }, { value: 'Sunny' }, 'gpt-5'],
    );
  });

  it('from Google’s ADK are inputs and outputs instead of metadata, and its session is the thread', async () => {
    const llmRequest = {
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      config: { system_instruction: 'Be terse.' },
    };
    const llmResponse = { content: { role: 'model', parts: [{ text: 'hello' }] } };
    const [call, tool] = await sender.trace(
      {
        attributes: {
          'gen_ai.system': 'gcp.vertex.agent',
          'gen_ai.request.model': 'gemini',
          'gcp.vertex.agent.llm_request': JSON.stringify(llmRequest),
          'gcp.vertex.agent.llm_response': JSON.stringify(llmResponse),
          'gcp.vertex.agent.session_id': 'S6',
        },
      },
      {
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gcp.vertex.agent.llm_request': '{}',
          'gcp.vertex.agent.llm_response': '{}',
          'gcp.vertex.agent.tool_call_args': '{"city":"Paris"}',
          'gcp.vertex.agent.tool_response': '{"sky":"sunny"}',
        },
      },
    );
    assert.deepEqual([call?.inputs, call?.outputs], [llmRequest, llmResponse]);
    assert.equal(call?.extra.metadata.session_id, 'S6');
    assert.deepEqual([tool?.inputs, tool?.outputs], [{ city: 'Paris' }, { sky: 'sunny' }]);
    for (const run of [call, tool])
      assert.doesNotMatch(JSON.stringify(run?.extra.metadata), /llm_re|tool_call_args|tool_response/);
  });

  it('in events are parsed, and a `gen_ai.choice` event becomes the message that it contains', async () => {
    const strands = await sender.spanWith({
      attributes: { 'gen_ai.operation.name': 'chat' },
      events: [
        { name: 'gen_ai.user.message', attributes: { content: '[{"text":"Weather in Paris?"}]' } },
        {
          name: 'gen_ai.choice',
          attributes: {
            message: '[{"toolUse":{"toolUseId":"c1","name":"get_weather","input":{"city":"Paris"}}}]',
            finish_reason: 'tool_use',
          },
        },
      ],
    });
    assert.deepEqual(strands.inputs, {
      messages: [{ role: 'user', content: [{ text: 'Weather in Paris?' }] }],
    });
    assert.deepEqual(strands.outputs, {
      messages: [
        {
          role: 'assistant',
          finish_reason: 'tool_use',
          content: [{ toolUse: { toolUseId: 'c1', name: 'get_weather', input: { city: 'Paris' } } }],
        },
      ],
    });
    const whole = await sender.spanWith({
      attributes: { 'gen_ai.operation.name': 'chat' },
      events: [{ name: 'gen_ai.choice', attributes: { message: '{"role":"assistant","content":"hi"}' } }],
    });
    assert.deepEqual(whole.outputs, { messages: [{ role: 'assistant', content: 'hi' }] });
  });

  it('in the event with an operation’s details, or in that with its content, are inputs and outputs', async () => {
    const user = { role: 'user', parts: [{ type: 'text', content: 'Hi' }] };
    const answer = { role: 'assistant', parts: [{ type: 'text', content: 'Hello' }] };
    const details = await sender.spanWith({
      attributes: { 'gen_ai.operation.name': 'chat' },
      events: [
        {
          name: 'gen_ai.client.inference.operation.details',
          attributes: {
            'gen_ai.input.messages': JSON.stringify([user]),
            'gen_ai.output.messages': JSON.stringify([answer]),
            'gen_ai.system_instructions': '[{"type":"text","content":"Be terse."}]',
          },
        },
      ],
    });
    assert.deepEqual(details.inputs, {
      messages: [{ role: 'system', parts: [{ type: 'text', content: 'Be terse.' }] }, user],
    });
    assert.deepEqual(details.outputs, { messages: [answer] });
    const content = await sender.spanWith({
      attributes: { 'gen_ai.operation.name': 'chat' },
      events: [
        {
          name: 'gen_ai.content.prompt',
          attributes: { 'gen_ai.prompt': '[{"role":"user","content":"Hi"}]' },
        },
        { name: 'gen_ai.content.completion', attributes: { 'gen_ai.completion': 'Hello' } },
      ],
    });
    assert.deepEqual(content.inputs, { messages: [{ role: 'user', content: 'Hi' }] });
    assert.deepEqual(content.outputs, { value: 'Hello' });
  });

  it('about a tool from Strands are its arguments and its result', async () => {
    const run = await sender.spanWith({
      attributes: { 'gen_ai.operation.name': 'execute_tool' },
      events: [
        {
          name: 'gen_ai.tool.message',
          attributes: { role: 'tool', content: '{"city":"Paris"}', id: 'c1' },
        },
        { name: 'gen_ai.choice', attributes: { message: '[{"text":"sunny"}]', id: 'c1' } },
      ],
    });
    assert.deepEqual([run.inputs, run.outputs], [{ city: 'Paris' }, { value: [{ text: 'sunny' }] }]);
  });

  it('from Mastra’s agents and steps are inputs and outputs', async () => {
    const run = await sender.span({
      'gen_ai.operation.name': 'invoke_agent',
      'mastra.agent_run.input': '[{"role":"user","content":"Weather?"}]',
      'mastra.agent_run.output': '{"text":"Sunny"}',
      'mastra.metadata.threadId': 'T1',
    });
    assert.deepEqual(
      [run.inputs, run.outputs, run.extra.metadata.thread_id],
      [
        { messages: [{ role: 'user', content: 'Weather?' }] },
        { messages: [{ role: 'assistant', content: 'Sunny' }] },
        'T1',
      ],
    );
    assert.equal(run.extra.metadata['mastra.agent_run.input'], undefined);
  });
});
