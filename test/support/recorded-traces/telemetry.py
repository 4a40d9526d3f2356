"""Sends what the program's instrumentation makes to the recorder, as soon as a span ends."""
import os

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

QUESTION = "Weather in Paris?"
INSTRUCTIONS = "Be terse."
MODEL = "gpt-4o"
BASE = os.environ["ORIGIN"]

provider = TracerProvider(resource=Resource({"service.name": "recorded"}))
provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)


def weather(city: str) -> str:
    """Get the weather in a city."""
    return f"sunny in {city}"
