import { openai } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { Observability } from '@mastra/observability';
import { OtelExporter } from '@mastra/otel-exporter';
import { z } from 'zod';
import { INSTRUCTIONS, MODEL, QUESTION, weather } from './telemetry.mjs';

const getWeather = createTool({
  id: 'get_weather',
  description: 'Get the weather in a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: async (input) => weather(input),
});
const forecaster = new Agent({
  id: 'forecaster',
  name: 'forecaster',
  instructions: INSTRUCTIONS,
  model: openai(MODEL),
  tools: { get_weather: getWeather },
});
const endpoint = `${process.env.ORIGIN}/v1/traces`;
const exporter = new OtelExporter({ provider: { custom: { endpoint, protocol: 'http/protobuf' } } });
const observability = new Observability({
  configs: { otel: { serviceName: 'recorded', exporters: [exporter] } },
});
const mastra = new Mastra({ agents: { forecaster }, observability });
await mastra.getAgent('forecaster').generate(QUESTION);
await observability.shutdown();
