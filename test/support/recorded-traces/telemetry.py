"""Sends the telemetry of the program's instrumentation to the recorder: log records at once, spans as soon as they end."""
import os

from opentelemetry import trace
from opentelemetry._logs import set_logger_provider
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

QUESTION = "Weather in Paris?"
INSTRUCTIONS = "Be terse."
MODEL = "gpt-4o"
BASE = os.environ["ORIGIN"]

resource = Resource({"service.name": "recorded"})
provider = TracerProvider(resource=resource)
provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)
log_provider = LoggerProvider(resource=resource)
log_provider.add_log_record_processor(SimpleLogRecordProcessor(OTLPLogExporter()))
set_logger_provider(log_provider)


def weather(city: str) -> str:
    """Get the weather in a city."""
    return f"sunny in {city}"
