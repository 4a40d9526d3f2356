/**
 * Records what instrumentations send, with their newest packages, a stand-in for the models and no network but PyPI:
 * `node scripts/record-traces.ts [--environments FOLDER] [NAME …]`. Environments that are there are used as they are.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { z } from 'zod';
import { cacheFolder } from '../test/support/cache.ts';
import { startStandIn } from '../test/support/recorded-traces/model-stand-in.ts';

const run = promisify(execFile);
const support = path.resolve(import.meta.dirname, '../test/support/recorded-traces');
const fixtures = path.resolve(import.meta.dirname, '../test/fixtures/otlp/recorded');

/** Senders: the environment of each, and the packages that it is known by. */
const FRAMEWORKS: Readonly<Record<string, { environment?: string; packages: readonly string[] }>> = {
  'agent-framework': { packages: ['agent-framework-core', 'agent-framework-openai'] },
  agno: { packages: ['agno', 'openai', 'openinference-instrumentation-agno'] },
  crewai: {
    packages: ['crewai', 'openinference-instrumentation-crewai', 'openinference-instrumentation-openai'],
  },
  'google-adk': { packages: ['google-adk'] },
  langgraph: {
    packages: ['langchain', 'langchain-openai', 'langgraph', 'openinference-instrumentation-langchain'],
  },
  langsmith: { packages: ['langsmith', 'openai', 'anthropic'] },
  'llama-index': {
    packages: ['llama-index-core', 'llama-index-llms-openai', 'openinference-instrumentation-llama-index'],
  },
  'openai-agents-openinference': {
    packages: ['openai-agents', 'openinference-instrumentation-openai-agents'],
  },
  'openai-agents-openllmetry': { packages: ['openai-agents', 'opentelemetry-instrumentation-openai-agents'] },
  'openinference-anthropic': {
    environment: 'openinference',
    packages: ['anthropic', 'openai', 'openinference-instrumentation-anthropic'],
  },
  'openinference-openai': {
    environment: 'openinference',
    packages: ['anthropic', 'openai', 'openinference-instrumentation-openai'],
  },
  'openllmetry-anthropic': {
    environment: 'openllmetry',
    packages: ['anthropic', 'openai', 'opentelemetry-instrumentation-anthropic'],
  },
  'openllmetry-openai': {
    environment: 'openllmetry',
    packages: ['anthropic', 'openai', 'opentelemetry-instrumentation-openai'],
  },
  'pydantic-ai': { packages: ['pydantic-ai-slim', 'openai'] },
  smolagents: { packages: ['smolagents', 'openai', 'openinference-instrumentation-smolagents'] },
  strands: { packages: ['strands-agents', 'openai'] },
};

const { values, positionals } = parseArgs({
  options: { environments: { type: 'string', default: path.join(cacheFolder(), 'traced-programs') } },
  allowPositionals: true,
});

await mkdir(fixtures, { recursive: true });
await using standIn = await startStandIn();
for (const [name, { environment = name, packages }] of Object.entries(FRAMEWORKS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  try {
    const python = await pythonOf(environment, packages);
    await run(python, [path.join(support, `with-${name}.py`)], {
      env: environmentOf(name),
      timeout: 120_000,
    });
    const { resourceSpans } = standIn.take();
    if (resourceSpans.length === 0) throw new Error('It sent nothing.');
    const versions = await versionsOf(python, packages);
    const recorded = { framework: name, packages: versions, resourceSpans };
    await writeFile(path.join(fixtures, `${name}.json`), `${JSON.stringify(recorded)}\n`);
    console.log(`${name}: ${resourceSpans.length} exports, ${JSON.stringify(versions)}`);
  } catch (error) {
    standIn.take();
    process.exitCode = 1;
    console.error(`${name}: ${error instanceof Error ? error.message.slice(-1500) : String(error)}`);
  }
}

/** The environment of programs: all that they ask and send goes to the stand-in. */
function environmentOf(project: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    ORIGIN: standIn.url,
    OPENAI_BASE_URL: `${standIn.url}/v1`,
    OPENAI_API_KEY: 'none',
    ANTHROPIC_BASE_URL: standIn.url,
    ANTHROPIC_API_KEY: 'none',
    GOOGLE_API_KEY: 'none',
    GOOGLE_GEMINI_BASE_URL: standIn.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: standIn.url,
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'SPAN_ONLY',
    OTEL_SEMCONV_STABILITY_OPT_IN: 'gen_ai_latest_experimental',
    ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS: 'true',
    LANGSMITH_PROJECT: project,
    LANGSMITH_TRACING: 'true',
    LANGSMITH_OTEL_ENABLED: 'true',
    LANGSMITH_OTEL_ONLY: 'true',
    OPENAI_AGENTS_DISABLE_TRACING: '0',
    CREWAI_DISABLE_TELEMETRY: 'true',
    CREWAI_DISABLE_TRACKING: 'true',
    OTEL_SDK_DISABLED: 'false',
    DO_NOT_TRACK: '1',
  };
}

async function pythonOf(environment: string, packages: readonly string[]): Promise<string> {
  const folder = path.join(values.environments, environment);
  const python = path.join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  if (existsSync(python)) return python;
  await run('python3', ['-m', 'venv', folder]);
  const more = ['opentelemetry-sdk', 'opentelemetry-exporter-otlp-proto-http'];
  await run(python, ['-m', 'pip', 'install', '--quiet', ...packages, ...more], { timeout: 900_000 });
  return python;
}

async function versionsOf(python: string, packages: readonly string[]): Promise<Record<string, string>> {
  const ask =
    'import importlib.metadata as m, json, sys; print(json.dumps({n: m.version(n) for n in sys.argv[1:]}))';
  const { stdout } = await run(python, ['-c', ask, ...packages]);
  return z.record(z.string(), z.string()).parse(JSON.parse(stdout));
}
