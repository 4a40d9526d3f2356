/** Sends the program's telemetry to the recorder as soon as a span ends, and to a file, if wanted. */
import { appendFileSync } from 'node:fs';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';

export const QUESTION = 'Weather in Paris?';
export const INSTRUCTIONS = 'Be terse.';
export const MODEL = 'gpt-4o';

export const resource = resourceFromAttributes({ 'service.name': 'recorded' });
export const provider = new NodeTracerProvider({
  resource,
  spanProcessors: [new OTLPTraceExporter(), ...fileExporters()].map((each) => new SimpleSpanProcessor(each)),
});
provider.register();

export const weather = ({ city }) => `sunny in ${city}`;

/** The fields that programs write that export the SDK's spans as JSON, as Copilot Chat does. */
function fileExporters() {
  const { SPANS_FILE } = process.env;
  if (SPANS_FILE === undefined) return [];
  const fieldsOf = (span) => {
    const { resource, instrumentationScope, name, kind, startTime, endTime, duration, status } = span;
    return {
      ...{ resource: { attributes: resource.attributes }, instrumentationScope, ...span.spanContext() },
      ...{ parentSpanId: span.parentSpanContext?.spanId, name, kind, startTime, endTime, duration, status },
      ...{ attributes: span.attributes, links: span.links, events: span.events, ended: span.ended },
    };
  };
  return [
    {
      export(spans, done) {
        for (const span of spans) appendFileSync(SPANS_FILE, `${JSON.stringify(fieldsOf(span))}\n`);
        done({ code: 0 });
      },
      async forceFlush() {},
      async shutdown() {},
    },
  ];
}
