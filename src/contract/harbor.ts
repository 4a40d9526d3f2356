import { z } from 'zod';
import { DebuggingState } from './debugging.ts';
import { endpoint } from './endpoint.ts';
import { IndexedName, LogLevel, QueryBoolean, Uuid } from './fields.ts';

/** The port of OpenTelemetry's receivers, where its SDKs send unless they are told otherwise. */
const OTLP_PORT = 4318;

/** Increased whenever clients and servers of the versions before and after could not work together. */
export const HARBOR_PROTOCOL = 1;

export const Handshake = z.looseObject({
  version: z.string(),
  harbor_protocol: z.int(),
  pid: z.int(),
  data_dir: z.string(),
  base_url: z.string(),
  started_at: z.string(),
  /** How many clients are present, and whether runs, builds or purges are in progress. */
  clients: z.int().optional(),
  busy: z.boolean().optional(),
  /**
   * Whether the server keeps running when it is unused: it was started that way, or a client keeps it
   * running.
   */
  stays_up: z.boolean().optional(),
});
export type Handshake = z.output<typeof Handshake>;

export const SourceLocation = z.object({
  file: z.string(),
  line: z.int(),
  column: z.int().optional(),
  /** The line at which a debugger stops when a Python function is called. */
  body_line: z.int().optional(),
});
export type SourceLocation = z.output<typeof SourceLocation>;

const LoadError = z.object({
  name: z.string(),
  message: z.string(),
  stack: z.string().optional(),
  location: SourceLocation.optional(),
});

export const GraphStatus = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('loaded'),
    graph_id: z.string(),
    description: z.string().optional(),
    /** Whether a function makes the graph for each run, so that loading has not called it. */
    is_factory: z.boolean().optional(),
    location: SourceLocation.optional(),
    nodes: z.record(z.string(), SourceLocation),
  }),
  z.object({
    status: z.literal('failed'),
    graph_id: z.string(),
    error: LoadError,
  }),
]);
export type GraphStatus = z.output<typeof GraphStatus>;

/** An extra of a project beside its graphs, and why it did not load. */
export const FailedExtra = z.object({
  name: z.enum(['http_app', 'auth']),
  error: LoadError,
});

/** A way to install what graphs need: the steps are programs with their arguments, run in the project's folder. */
export const InstallChoice = z.object({
  tool: z.string(),
  steps: z.array(z.array(z.string()).min(1)).min(1),
});
export type InstallChoice = z.output<typeof InstallChoice>;

/** The program that runs graphs of one language. */
export const RuntimeProgram = z.object({
  language: z.string(),
  language_version: z.string(),
  /** Empty when LangGraph is not installed for this program. */
  langgraph_version: z.string(),
  executable: z.string(),
  /** How the program was found, in words. */
  origin: z.string(),
  /** Commands to run when packages are missing, the best first. */
  install: z.array(InstallChoice).optional(),
});
export type RuntimeProgram = z.output<typeof RuntimeProgram>;

/** Values that a project's env file lacks while some of its graphs fail to load. */
export const LackingEnv = z.object({
  /** Absolute path of the file that langgraph.json names. */
  file: z.string(),
  is_missing: z.boolean(),
  /** Whether there is a file of the same name ending in `.example` to start from. */
  has_example: z.boolean(),
  /** Variables that are missing or empty: those in the example, and those named by the graphs' errors. */
  variables: z.array(z.string()),
});
export type LackingEnv = z.output<typeof LackingEnv>;

/** A place at which the user's asynchronous code has blocked its event loop since the graphs were loaded. */
export const BlockingCall = z.object({
  file: z.string(),
  line: z.int(),
  /** One or two sentences for a person: what happened, and what to do. */
  advice: z.string(),
});
export type BlockingCall = z.output<typeof BlockingCall>;

/** The state of a live deployment's graph runtime. */
export const RuntimeState = z.discriminatedUnion('state', [
  z.object({ state: z.literal('starting') }),
  z.object({
    state: z.literal('ready'),
    /** Changes whenever the graphs are loaded again. */
    load_id: z.string().optional(),
    language: z.string(),
    language_version: z.string(),
    langgraph_version: z.string(),
    loader: z.string(),
    /** One for each language. */
    runtimes: z.array(RuntimeProgram).optional(),
    graphs: z.array(GraphStatus),
    /** The env file, when graphs failed to load and the file is missing or lacks values. */
    lacking_env: LackingEnv.optional(),
    /** Problems that do not prevent serving but are worth knowing, one sentence each. */
    warnings: z.array(z.string()).optional(),
    /** Extras of the project that did not load: requests that need them fail. */
    failed_extras: z.array(FailedExtra).optional(),
    /** Why the current langgraph.json cannot be read. The graphs are those of its last valid version. */
    config_problem: z.object({ message: z.string(), location: SourceLocation.optional() }).optional(),
    blocking: z.array(BlockingCall).optional(),
  }),
  z.object({
    state: z.literal('failed'),
    /** One sentence for a person. */
    message: z.string(),
    location: SourceLocation.optional(),
  }),
  z.object({ state: z.literal('stopped') }),
]);
export type RuntimeState = z.output<typeof RuntimeState>;

/** The places at which a graph and its nodes are defined; unknown ones are left out. */
export const GraphLocations = z.object({
  location: SourceLocation.optional(),
  nodes: z.record(z.string(), SourceLocation),
});
export type GraphLocations = z.output<typeof GraphLocations>;

export const LiveDeployment = z.looseObject({
  deployment_id: z.string(),
  name: z.string(),
  config_path: z.string(),
  deployment_url: z.string(),
  /** Whether the deployment's agent server requires an API key of the workspace. */
  requires_key: z.boolean().optional(),
  /** The names of the clients that have the deployment's folder open. */
  holders: z.array(z.string()).optional(),
  runtime: RuntimeState,
  /** Absent while no debugger is attached. */
  debugging: DebuggingState.optional(),
});
export type LiveDeployment = z.output<typeof LiveDeployment>;

export const LogLine = z.object({
  id: z.string(),
  timestamp: z.string(),
  level: LogLevel,
  message: z.string(),
  run_id: z.string().optional(),
  thread_id: z.string().optional(),
  /** Whether the line only says why the graphs are not loaded, which is also in the deployment's state. */
  is_state: z.boolean().optional(),
});
export type LogLine = z.output<typeof LogLine>;

const ChangedResource = z.enum([
  'deployment',
  'assistant',
  'thread',
  'run',
  'project',
  'trace',
  'feedback',
  'dataset',
  'example',
  'revision',
  'job',
]);

/** A change of one resource, with the deployment or project that it belongs to. */
export const Change = z.object({
  resource: ChangedResource,
  action: z.enum(['created', 'updated', 'deleted']),
  id: z.string(),
  deployment_id: z.string().optional(),
  session_id: z.string().optional(),
});
export type Change = z.output<typeof Change>;

const params = z.object({ deployment_id: Uuid });

/**
 * Endpoints that the extension and the command line need beyond the platform's interface: the handshake, presence,
 * opening a folder's live deployment, and the feed of changes. Remote platforms have none of these, except that a team's
 * server has the feed of changes.
 */
export const harbor = {
  handshake: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/harbor/handshake',
    summary: 'Get the identity of the server',
    credentials: 'api-key',
    right: 'any',
    responses: { 200: Handshake },
  }),
  changes: endpoint({
    kind: 'event-stream',
    method: 'GET',
    path: '/harbor/changes',
    summary: 'Register as a client and follow changes; events are arrays of changes',
    credentials: 'api-key',
    right: 'read',
    query: z.object({
      client: z.string().optional(),
      /**
       * The name under which this client holds folders open, until it closes them or has been disconnected for a while.
       */
      holder: z.string().min(1).max(200).optional(),
      /** Whether this client exists to keep the server running. */
      keeps: QueryBoolean.optional(),
    }),
  }),
  openFolder: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/harbor/workspaces',
    summary: 'Serve the agent of a folder from its langgraph.json',
    credentials: 'api-key',
    right: 'owner',
    body: z.object({
      /**
       * Absolute path of a langgraph.json. Opening it runs the folder's code, so open only trusted folders.
       */
      config_path: z.string().min(1),
      /** The requested port; 0 means any free one. When absent, the last port of this folder (at first, 2024). */
      port: z.int().min(0).max(65_535).optional(),
      /**
       * The client that needs the folder, which is served until every client that opened it has closed it or
       * left.
       */
      holder: z.string().min(1).max(200).optional(),
      /**
       * The environment that the folder's processes inherit; the server's own when absent. Only the first
       * client to open the folder decides.
       */
      env: z.record(z.string(), z.string()).optional(),
      /**
       * Values of variables that neither the environment nor the project has, or that are empty there, such as keys for
       * models that will not be called. They stay as long as the folder is open; if any is new, the graphs are loaded
       * again.
       */
      stand_ins: z.record(z.string(), z.string()).optional(),
      /**
       * The interpreter of Python graphs that the user chose, or its environment's folder. An empty string clears the
       * choice: Agent Harbor then looks for one, as it does if none was ever chosen. A different choice loads the
       * graphs again.
       */
      python: z.string().optional(),
      /**
       * Whether the agent requires an API key of its workspace from now on. When absent, nothing changes; at first,
       * none is required.
       */
      require_key: z.boolean().optional(),
      /**
       * A network address to listen on besides loopback, such as 0.0.0.0 for all. The agent then requires a key for as
       * long as it is open. Only the first client to open the folder decides.
       */
      host: z.union([z.ipv4(), z.ipv6()]).optional(),
    }),
    responses: { 200: LiveDeployment },
  }),
  getFolder: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/harbor/workspaces/{deployment_id}',
    summary: 'Get a live deployment and its graphs',
    credentials: 'api-key',
    right: 'read',
    params,
    query: z.object({
      /** Whether to respond only when the graphs have loaded or failed to load, or after ten seconds. */
      loaded: QueryBoolean.optional(),
    }),
    responses: { 200: LiveDeployment },
  }),
  locateGraph: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/harbor/workspaces/{deployment_id}/graphs/{graph_id}/locations',
    summary: 'Get the source locations of a graph of a live deployment and its nodes',
    credentials: 'api-key',
    right: 'read',
    params: params.extend({ graph_id: z.string() }),
    responses: { 200: GraphLocations },
  }),
  restartFolder: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/harbor/workspaces/{deployment_id}/restart',
    summary: 'Reload the graphs in a new runtime process',
    credentials: 'api-key',
    right: 'owner',
    params,
    responses: { 200: LiveDeployment },
  }),
  closeFolder: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/harbor/workspaces/{deployment_id}/close',
    summary: 'Stop serving a folder when no other client uses it; its threads are kept',
    credentials: 'api-key',
    right: 'owner',
    params,
    body: z.object({ holder: z.string().min(1).max(200).optional() }),
    responses: { 204: null },
  }),
  openReceiver: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/harbor/otlp',
    summary: 'Receive OpenTelemetry from programs on this machine, without a key, at a separate port',
    credentials: 'api-key',
    right: 'owner',
    body: z.object({
      /** 0 means any free port; OpenTelemetry's own when absent. */
      port: z.int().min(0).max(65_535).default(OTLP_PORT),
      /** The tracing project of spans that name none. */
      project: IndexedName.min(1).optional(),
      /**
       * The client that needs the receiver, which is open until every client that opened it has closed it or
       * left.
       */
      holder: z.string().min(1).max(200).optional(),
    }),
    responses: { 200: z.object({ url: z.string() }) },
  }),
  closeReceiver: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/harbor/otlp/close',
    summary: 'Stop receiving OpenTelemetry when no other client needs it',
    credentials: 'api-key',
    right: 'owner',
    body: z.object({ holder: z.string().min(1).max(200).optional() }),
    responses: { 204: null },
  }),
  log: endpoint({
    kind: 'event-stream',
    method: 'GET',
    path: '/harbor/deployments/{deployment_id}/log',
    summary: 'Follow the log of a deployment',
    credentials: 'api-key',
    right: 'read',
    params,
    query: z.object({
      /** Leaves out lines from before the graphs were last loaded. */
      since_load: QueryBoolean.optional(),
      /** `false` ends the response after the existing lines. */
      follow: QueryBoolean.optional(),
    }),
  }),
  shutdown: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/harbor/shutdown',
    summary: 'Stop the server, immediately or when no other client is present and nothing is running',
    credentials: 'api-key',
    right: 'owner',
    body: z.object({ when: z.enum(['now', 'unused']) }),
    responses: { 202: z.looseObject({ ending: z.boolean() }) },
  }),
};
