"""Runs a program of a framework, with OpenInference's instrumentation of OpenAI's client in addition to its own."""
import os
import runpy

from openinference.instrumentation.openai import OpenAIInstrumentor
from telemetry import provider

OpenAIInstrumentor().instrument(tracer_provider=provider)
runpy.run_path(os.path.join(os.path.dirname(__file__), os.environ["PROGRAM"]), run_name="__main__")
