/** Sends what the program's instrumentation makes to the recorder, as soon as a span ends. */
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';

export const QUESTION = 'Weather in Paris?';
export const INSTRUCTIONS = 'Be terse.';
export const MODEL = 'gpt-4o';

export const resource = resourceFromAttributes({ 'service.name': 'recorded' });
export const provider = new NodeTracerProvider({
  resource,
  spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter())],
});
provider.register();

export const weather = ({ city }) => `sunny in ${city}`;
