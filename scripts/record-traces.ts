/**
 * Records what instrumentations send, using their newest packages, a stand-in for the models, and no network except the
 * package registries: `node scripts/record-traces.ts [--environments FOLDER] [NAME …]`. Existing environments are used
 * unchanged.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { z } from 'zod';
import { cacheFolder, npm } from '../test/support/cache.ts';
import { startStandIn } from '../test/support/recorded-traces/model-stand-in.ts';

const run = promisify(execFile);
const support = path.resolve(import.meta.dirname, '../test/support/recorded-traces');
const fixtures = path.resolve(import.meta.dirname, '../test/fixtures/otlp/recorded');

const files = path.resolve(import.meta.dirname, '../test/fixtures/trace-files');

interface Sender {
  /** The name of the environment that it shares, if it has none of its own. */
  readonly environment?: string;
  /** The packages that identify the sender, with a version range unless the newest is used. */
  readonly packages: readonly string[];
  /** Other packages that it needs. */
  readonly more?: readonly string[];
  /** Set if its program is JavaScript: the packages that it also imports. */
  readonly javascript?: readonly string[];
  /** Variables in addition to the usual ones; undefined ones are unset. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** The program, if it is not `with-<name>.py`. */
  readonly program?: string;
}

const OTEL_JAVASCRIPT = [
  '@opentelemetry/api@1',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-node',
];
const CONTENT = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT';

/** The instrumentation of a framework, together with OpenInference's for OpenAI's client. */
function besideOpenAI(environment: string, packages: readonly string[]): Sender {
  return {
    environment,
    packages: [...packages, 'openinference-instrumentation-openai'],
    program: 'beside-openai.py',
    variables: { PROGRAM: `with-${environment}.py`, STREAMED: '1' },
  };
}

const SENDERS: Readonly<Record<string, Sender>> = {
  'agent-framework': { packages: ['agent-framework-core', 'agent-framework-openai'] },
  agno: { packages: ['agno', 'openai', 'openinference-instrumentation-agno'] },
  crewai: {
    packages: ['crewai', 'openinference-instrumentation-crewai', 'openinference-instrumentation-openai'],
  },
  'google-adk': { packages: ['google-adk'] },
  langgraph: {
    packages: ['langchain', 'langchain-openai', 'langgraph', 'openinference-instrumentation-langchain'],
  },
  langsmith: {
    packages: ['langsmith', 'openai', 'anthropic'],
    variables: {
      LANGSMITH_PROJECT: 'langsmith',
      LANGSMITH_TRACING: 'true',
      LANGSMITH_OTEL_ENABLED: 'true',
      LANGSMITH_OTEL_ONLY: 'true',
    },
  },
  'llama-index': {
    packages: ['llama-index-core', 'llama-index-llms-openai', 'openinference-instrumentation-llama-index'],
  },
  'llama-index-beside-openai': besideOpenAI('llama-index', [
    'llama-index-core',
    'llama-index-llms-openai',
    'openinference-instrumentation-llama-index',
  ]),
  'langgraph-beside-openai': besideOpenAI('langgraph', [
    'langchain',
    'langchain-openai',
    'langgraph',
    'openinference-instrumentation-langchain',
  ]),
  'agno-beside-openai': besideOpenAI('agno', ['agno', 'openai', 'openinference-instrumentation-agno']),
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
  mastra: {
    packages: ['@mastra/core', '@mastra/observability', '@mastra/otel-exporter', '@ai-sdk/openai@3'],
    javascript: ['zod', ...OTEL_JAVASCRIPT, '@opentelemetry/exporter-trace-otlp-proto@0.218'],
  },
  'opentelemetry-google-genai': {
    packages: ['google-genai<3', 'opentelemetry-instrumentation-google-genai'],
    variables: { [CONTENT]: 'EVENT_ONLY' },
  },
  'opentelemetry-openai': {
    packages: ['openai', 'opentelemetry-instrumentation-openai-v2'],
    // The instrumentation does not require these, or not narrowly enough.
    more: ['anthropic', 'httpx', 'opentelemetry-util-genai==0.4b0'],
    variables: { [CONTENT]: 'EVENT_ONLY' },
  },
  'opentelemetry-openai-1.30': {
    environment: 'opentelemetry-openai',
    program: 'with-opentelemetry-openai.py',
    packages: ['openai', 'opentelemetry-instrumentation-openai-v2'],
    // The instrumentation does not require these, or not narrowly enough.
    more: ['anthropic', 'httpx', 'opentelemetry-util-genai==0.4b0'],
    variables: { [CONTENT]: 'true', OTEL_SEMCONV_STABILITY_OPT_IN: undefined },
  },
  'opentelemetry-openai-js': {
    packages: ['openai@6', '@opentelemetry/instrumentation-openai'],
    javascript: ['@opentelemetry/exporter-logs-otlp-proto', '@opentelemetry/sdk-logs', ...OTEL_JAVASCRIPT],
    variables: { [CONTENT]: 'true' },
  },
  'pydantic-ai': { packages: ['pydantic-ai-slim', 'openai'] },
  smolagents: { packages: ['smolagents', 'openai', 'openinference-instrumentation-smolagents'] },
  strands: { packages: ['strands-agents', 'openai'] },
  'vercel-ai-5': { packages: ['ai@5', '@ai-sdk/openai@2'], javascript: ['zod', ...OTEL_JAVASCRIPT] },
  'vercel-ai-6': { packages: ['ai@6', '@ai-sdk/openai@3'], javascript: ['zod', ...OTEL_JAVASCRIPT] },
  'vercel-ai-7': {
    packages: ['ai@7', '@ai-sdk/openai@4', '@ai-sdk/otel'],
    javascript: ['zod', ...OTEL_JAVASCRIPT],
    variables: { SPANS_FILE: path.join(files, 'sdk-spans.jsonl') },
  },
};

const { values, positionals } = parseArgs({
  options: { environments: { type: 'string', default: path.join(cacheFolder(), 'traced-programs') } },
  allowPositionals: true,
});

await mkdir(fixtures, { recursive: true });
await using standIn = await startStandIn();
for (const [name, sender] of Object.entries(SENDERS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  try {
    const folder = path.join(values.environments, sender.environment ?? name);
    const versions =
      sender.javascript === undefined
        ? await recordPython(name, sender, folder)
        : await recordJavaScript(name, sender, folder);
    const { resourceSpans, resourceLogs } = standIn.take();
    if (resourceSpans.length === 0) throw new Error('It sent nothing.');
    const logs = resourceLogs.length === 0 ? {} : { resourceLogs };
    const recorded = { framework: name, packages: versions, resourceSpans, ...logs };
    await writeFile(path.join(fixtures, `${name}.json`), `${JSON.stringify(recorded)}\n`);
    console.log(`${name}: ${resourceSpans.length} exports, ${JSON.stringify(versions)}`);
  } catch (error) {
    standIn.take();
    process.exitCode = 1;
    console.error(`${name}: ${error instanceof Error ? error.message.slice(-1500) : String(error)}`);
  }
}

/** The programs' environment variables: everything that they request or send goes to the stand-in. */
function environmentOf({ variables }: Sender): NodeJS.ProcessEnv {
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
    [CONTENT]: 'SPAN_ONLY',
    OTEL_SEMCONV_STABILITY_OPT_IN: 'gen_ai_latest_experimental',
    ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS: 'true',
    OPENAI_AGENTS_DISABLE_TRACING: '0',
    CREWAI_DISABLE_TELEMETRY: 'true',
    CREWAI_DISABLE_TRACKING: 'true',
    OTEL_SDK_DISABLED: 'false',
    DO_NOT_TRACK: '1',
    ...variables,
  };
}

/** @returns the versions of the packages. */
async function recordPython(name: string, sender: Sender, folder: string): Promise<Record<string, string>> {
  const { packages, program = `with-${name}.py` } = sender;
  const otel = ['opentelemetry-sdk', 'opentelemetry-exporter-otlp-proto-http'];
  const python = await pythonIn(folder, [...packagesIn(sender.environment ?? name), ...otel]);
  const env = environmentOf(sender);
  await run(python, [path.join(support, program)], { env, timeout: 120_000 });
  const ask =
    'import importlib.metadata as m, json, sys; print(json.dumps({n: m.version(n) for n in sys.argv[1:]}))';
  const { stdout } = await run(python, ['-c', ask, ...packages.map(nameOf)]);
  return z.record(z.string(), z.string()).parse(JSON.parse(stdout));
}

/** The packages of all programs that share an environment. */
function packagesIn(environment: string): string[] {
  const sharing = Object.entries(SENDERS).filter(
    ([name, sender]) => (sender.environment ?? name) === environment,
  );
  return [...new Set(sharing.flatMap(([, { packages, more = [] }]) => [...packages, ...more]))];
}

async function pythonIn(folder: string, packages: readonly string[]): Promise<string> {
  const python = path.join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  if (existsSync(python)) return python;
  await run('python3', ['-m', 'venv', folder]);
  await run(python, ['-m', 'pip', 'install', '--quiet', ...packages], { timeout: 900_000 });
  return python;
}

/** @returns the versions of the packages. */
async function recordJavaScript(
  name: string,
  sender: Sender,
  folder: string,
): Promise<Record<string, string>> {
  const { packages, javascript = [] } = sender;
  if (!existsSync(path.join(folder, 'node_modules'))) {
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'package.json'), '{ "private": true }\n');
    // Instrumentations require narrower ranges of OpenTelemetry's packages than they work with.
    const options = ['--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];
    await npm(['install', ...options, ...packages, ...javascript], folder);
  }
  // Modules import packages that are installed beside them.
  for (const file of ['telemetry.mjs', 'vercel-agent.mjs', `with-${name}.mjs`])
    await copyFile(path.join(support, file), path.join(folder, file));
  const env = environmentOf(sender);
  if (env.SPANS_FILE !== undefined) await rm(env.SPANS_FILE, { force: true });
  await run(process.execPath, [path.join(folder, `with-${name}.mjs`)], {
    env,
    cwd: folder,
    timeout: 120_000,
  });
  const versions = packages.map(nameOf).map(async (each) => {
    const text = await readFile(path.join(folder, 'node_modules', each, 'package.json'), 'utf8');
    return [each, z.object({ version: z.string() }).parse(JSON.parse(text)).version] as const;
  });
  return Object.fromEntries(await Promise.all(versions));
}

function nameOf(wanted: string): string {
  return /^@?[^@<>=]+/.exec(wanted)?.[0] ?? wanted;
}

if (positionals.length === 0 || positionals.includes('langfuse')) {
  const folder = path.join(values.environments, 'langfuse');
  const python = await pythonIn(folder, ['langfuse']);
  const { stdout } = await run(python, [path.join(support, 'langfuse-export.py')]);
  await writeFile(path.join(files, 'langfuse-observations.json'), stdout);
}
