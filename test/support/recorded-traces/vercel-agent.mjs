/** The agent for all versions of the Vercel AI SDK. */
import { openai } from '@ai-sdk/openai';
import { generateText, stepCountIs, tool } from 'ai';
import { z } from 'zod';
import { INSTRUCTIONS, MODEL, provider, QUESTION, weather } from './telemetry.mjs';

const getWeather = tool({
  description: 'Get the weather in a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: weather,
});

export async function ask(options) {
  await generateText({
    model: openai(MODEL),
    prompt: QUESTION,
    tools: { get_weather: getWeather },
    stopWhen: stepCountIs(3),
    ...options,
  });
  await provider.forceFlush();
}

export { INSTRUCTIONS };
