import { createRequire } from 'node:module';
import { SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OpenAIInstrumentation } from '@opentelemetry/instrumentation-openai';
import { LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { INSTRUCTIONS, MODEL, provider, QUESTION, resource, weather } from './telemetry.mjs';

const processor = new SimpleLogRecordProcessor({ exporter: new OTLPLogExporter() });
const loggers = new LoggerProvider({ resource, processors: [processor] });
const instrumentation = new OpenAIInstrumentation({ captureMessageContent: true });
instrumentation.setTracerProvider(provider);
instrumentation.setLoggerProvider(loggers);
// Instrumentations patch what CommonJS requires.
const { OpenAI } = createRequire(import.meta.url)('openai');

const client = new OpenAI();
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = [{ type: 'function', function: { name: 'get_weather', parameters } }];
const messages = [
  { role: 'system', content: INSTRUCTIONS },
  { role: 'user', content: QUESTION },
];
await trace.getTracer('program').startActiveSpan('answer', async (span) => {
  for (;;) {
    const completion = await client.chat.completions.create({ model: MODEL, messages, tools });
    const said = completion.choices[0].message;
    messages.push(said);
    if (said.tool_calls === undefined) break;
    for (const call of said.tool_calls) {
      const content = weather(JSON.parse(call.function.arguments));
      messages.push({ role: 'tool', tool_call_id: call.id, content });
    }
  }
  span.setStatus({ code: SpanStatusCode.OK });
  span.end();
});
await Promise.all([provider.forceFlush(), loggers.forceFlush()]);
