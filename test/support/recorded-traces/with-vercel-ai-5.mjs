import { ask, INSTRUCTIONS } from './vercel-agent.mjs';

const experimental_telemetry = { isEnabled: true, metadata: { sessionId: 's1' } };
await ask({ system: INSTRUCTIONS, experimental_telemetry });
