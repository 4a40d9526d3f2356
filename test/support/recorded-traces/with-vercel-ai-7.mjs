import { OpenTelemetry } from '@ai-sdk/otel';
import { registerTelemetry } from 'ai';
import { ask, INSTRUCTIONS } from './vercel-agent.mjs';

registerTelemetry(new OpenTelemetry());
await ask({ instructions: INSTRUCTIONS });
