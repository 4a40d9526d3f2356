// Generated from protocol.schema.json: change the schema, and run `npm run generate`.

export const PROTOCOL_VERSION = 1;

/** Requests the server sends to a runtime. */
export interface RuntimeRequests {
  'initialize': { params: InitializeParams; result: InitializeResult };
  'run.execute': { params: RunExecuteParams; result: RunResult };
  'run.cancel': { params: RunCancelParams; result: Empty };
  'state.get': { params: StateGetParams; result: StateResult };
  'state.history': { params: StateHistoryParams; result: StateHistoryResult };
  'state.update': { params: StateUpdateParams; result: StateUpdateResult };
  'node.input': { params: NodeParams; result: NodeInput };
  'node.run': { params: NodeRunParams; result: NodeResult };
  'graph.reducers': { params: GraphParams; result: GraphReducers };
  'graph.schemas': { params: GraphParams; result: GraphSchemas };
  'graph.draw': { params: GraphDrawParams; result: GraphDiagram };
  'graph.subgraphs': { params: GraphSubgraphsParams; result: GraphSubgraphs };
  'graph.locations': { params: GraphParams; result: GraphLocations };
  'evaluators.list': { params: EvaluatorsListParams; result: EvaluatorsListResult };
  'evaluators.run': { params: EvaluatorsRunParams; result: EvaluatorsRunResult };
  'debugger.open': { params: Empty; result: DebuggerAddress };
  'debugger.close': { params: Empty; result: Empty };
  'store.embed': { params: StoreEmbedParams; result: StoreEmbedResult };
  'http.request': { params: HttpRequestParams; result: HttpResponseHead };
  'http.cancel': { params: HttpCancelParams; result: Empty };
  'server.address': { params: ServerAddress; result: Empty };
  'auth.authenticate': { params: AuthenticateParams; result: AuthenticateResult };
  'auth.authorize': { params: AuthorizeParams; result: AuthorizeResult };
  'ping': { params: Empty; result: Empty };
  'shutdown': { params: Empty; result: Empty };
}

/** Requests a runtime sends to the server. */
export interface ServerRequests {
  'checkpoints.sync': { params: Empty; result: Empty };
  'checkpoints.get': { params: CheckpointGetParams; result: CheckpointGetResult };
  'checkpoints.list': { params: CheckpointListParams; result: CheckpointListResult };
  'checkpoints.delete_thread': { params: ThreadParams; result: Empty };
  'store.batch': { params: StoreBatchParams; result: StoreBatchResult };
  'exchange.record_part': { params: ExchangeRecordPartParams; result: Empty };
  'exchange.answer': { params: ExchangeAnswerParams; result: ExchangeAnswer };
  'exchange.read_part': { params: ExchangeReadPartParams; result: ExchangeChunks };
  'model.begin': { params: ModelBeginParams; result: ModelBeginResult };
}

/** Notifications a runtime sends to the server. */
export interface ServerNotifications {
  'run.events': RunEventsParams;
  'checkpoints.put': CheckpointPutParams;
  'checkpoints.put_writes': CheckpointPutWritesParams;
  'exchange.record': ExchangeRecordParams;
  'model.end': ModelEndParams;
  'http.body': HttpBodyParams;
  'log': LogParams;
}

/**
 * A JSON document as text. It is stored and forwarded unchanged, without being parsed.
 */
export type JsonText = string;
/**
 * @minItems 2
 * @maxItems 2
 */
export type HttpHeader = [string, string];
export type GraphStatus = LoadedGraph | FailedGraph;
export type StreamMode =
  | 'values'
  | 'updates'
  | 'messages'
  | 'messages-tuple'
  | 'tasks'
  | 'checkpoints'
  | 'events'
  | 'debug'
  | 'custom'
  | 'tools'
  | 'extensions';
export type Durability = 'sync' | 'async' | 'exit';
export type NodeSelection = '*' | string[];
export type StoreOperation = StoreGet | StorePut | StoreSearch | StoreListNamespaces;
export type StoreAnswer =
  | {
      op: 'get';
      item: StoreItem | null;
    }
  | {
      op: 'put';
    }
  | {
      op: 'search';
      items: StoreItem[];
    }
  | {
      op: 'list_namespaces';
      namespaces: string[][];
    };

export interface ProtocolTypes {
  Empty: Empty;
  JsonObject: JsonObject;
  DebuggerAddress: DebuggerAddress;
  JsonText: JsonText;
  SerializedValue: SerializedValue;
  SourceLocation: SourceLocation;
  RuntimeError: RuntimeError;
  GraphSource: GraphSource;
  ProjectExtras: ProjectExtras;
  EvaluatorsListParams: EvaluatorsListParams;
  EvaluatorsListResult: EvaluatorsListResult;
  EvaluatorsRunParams: EvaluatorsRunParams;
  EvaluatorsRunResult: EvaluatorsRunResult;
  EvaluationResult: EvaluationResult;
  StoreEmbedParams: StoreEmbedParams;
  StoreEmbedResult: StoreEmbedResult;
  HttpHeader: HttpHeader;
  HttpRequestParams: HttpRequestParams;
  AppRoute: AppRoute;
  HttpAppDescription: HttpAppDescription;
  FailedExtra: FailedExtra;
  HttpResponseHead: HttpResponseHead;
  HttpCancelParams: HttpCancelParams;
  HttpBodyParams: HttpBodyParams;
  AuthenticateParams: AuthenticateParams;
  AuthRefusal: AuthRefusal;
  AuthUser: AuthUser;
  AuthenticateResult: AuthenticateResult;
  AuthorizeParams: AuthorizeParams;
  AuthorizeResult: AuthorizeResult;
  InitializeParams: InitializeParams;
  ServerAccess: ServerAccess;
  ServerAddress: ServerAddress;
  LoadedGraph: LoadedGraph;
  FailedGraph: FailedGraph;
  GraphStatus: GraphStatus;
  InitializeResult: InitializeResult;
  StreamMode: StreamMode;
  Durability: Durability;
  NodeSelection: NodeSelection;
  CheckpointRef: CheckpointRef;
  PendingWrite: PendingWrite;
  CheckpointTuple: CheckpointTuple;
  RunCommand: RunCommand;
  RunTracer: RunTracer;
  RunExecuteParams: RunExecuteParams;
  RunExchanges: RunExchanges;
  ModelBeginParams: ModelBeginParams;
  ModelBeginResult: ModelBeginResult;
  ModelEndParams: ModelEndParams;
  ExchangePlace: ExchangePlace;
  ExchangeBody: ExchangeBody;
  ExchangeRequest: ExchangeRequest;
  ExchangeResponse: ExchangeResponse;
  ExchangeError: ExchangeError;
  ExchangeChunks: ExchangeChunks;
  ExchangeRecordPartParams: ExchangeRecordPartParams;
  ExchangeReadPartParams: ExchangeReadPartParams;
  ExchangeRecordParams: ExchangeRecordParams;
  ExchangeAnswerParams: ExchangeAnswerParams;
  ExchangeAnswer: ExchangeAnswer;
  StateSummary: StateSummary;
  RunResult: RunResult;
  RunCancelParams: RunCancelParams;
  RunEventsParams: RunEventsParams;
  StateGetParams: StateGetParams;
  StateResult: StateResult;
  StateHistoryParams: StateHistoryParams;
  StateHistoryResult: StateHistoryResult;
  StateUpdate: StateUpdate;
  StateUpdateParams: StateUpdateParams;
  StateUpdateResult: StateUpdateResult;
  NodeParams: NodeParams;
  NodeInput: NodeInput;
  NodeRunParams: NodeRunParams;
  NodeResult: NodeResult;
  GraphReducers: GraphReducers;
  GraphParams: GraphParams;
  GraphSchemas: GraphSchemas;
  GraphDrawParams: GraphDrawParams;
  GraphDiagram: GraphDiagram;
  GraphSubgraphsParams: GraphSubgraphsParams;
  GraphLocations: GraphLocations;
  GraphSubgraphs: GraphSubgraphs;
  CheckpointPutParams: CheckpointPutParams;
  CheckpointPutWritesParams: CheckpointPutWritesParams;
  CheckpointGetParams: CheckpointGetParams;
  CheckpointGetResult: CheckpointGetResult;
  CheckpointListParams: CheckpointListParams;
  CheckpointListResult: CheckpointListResult;
  ThreadParams: ThreadParams;
  StoreItem: StoreItem;
  StoreGet: StoreGet;
  StorePut: StorePut;
  StoreSearch: StoreSearch;
  StoreListNamespaces: StoreListNamespaces;
  StoreOperation: StoreOperation;
  StoreAnswer: StoreAnswer;
  StoreBatchParams: StoreBatchParams;
  StoreBatchResult: StoreBatchResult;
  LogParams: LogParams;
  BlockingCall: BlockingCall;
}
export interface Empty {}
export interface JsonObject {
  [k: string]: unknown;
}
export interface DebuggerAddress {
  /**
   * The address that a debugger connects to: `ws://…` speaks Chrome's DevTools protocol, `tcp://…` the Debug Adapter Protocol.
   */
  address: string;
}
/**
 * Bytes from the user's own LangGraph serializer.
 */
export interface SerializedValue {
  /**
   * The serializer's type tag, such as json or msgpack.
   */
  type: string;
  encoding: 'utf8' | 'base64';
  data: string;
}
/**
 * Where something was defined or thrown, with source maps applied; lines and columns start at 1.
 */
export interface SourceLocation {
  /**
   * Absolute path.
   */
  file: string;
  line: number;
  column?: number;
  /**
   * The line at which a debugger stops when a Python function is called.
   */
  body_line?: number;
}
export interface RuntimeError {
  name: string;
  message: string;
  stack?: string;
  location?: SourceLocation;
}
export interface GraphSource {
  /**
   * file:export, the file relative to the folder of langgraph.json; for Python also module:name.
   */
  path: string;
  description?: string;
}
/**
 * A project's extras beside its graphs, each as file:export; loaded on first use.
 */
export interface ProjectExtras {
  /**
   * store.index.embed: texts to vectors.
   */
  embed?: string;
  /**
   * http.app: an object with fetch(request).
   */
  http_app?: string;
  /**
   * auth.path: an Auth object of the public SDK.
   */
  auth?: string;
}
export interface EvaluatorsListParams {
  /**
   * Absolute path of a module.
   */
  file: string;
}
export interface EvaluatorsListResult {
  /**
   * The names of the evaluators that the module exports.
   */
  names: string[];
}
export interface EvaluatorsRunParams {
  /**
   * Absolute path of a module.
   */
  file: string;
  /**
   * One of the names that evaluators.list gives.
   */
  name: string;
  /**
   * The traced run, with child_runs.
   */
  run: JsonObject;
  example: JsonObject;
}
export interface EvaluatorsRunResult {
  results: EvaluationResult[];
}
/**
 * A score, as LangSmith's evaluators give it.
 */
export interface EvaluationResult {
  key: string;
  score?: number | boolean | null;
  value?: unknown;
  comment?: string | null;
  correction?: unknown;
  /**
   * The trace of the evaluator.
   */
  source_run_id?: string | null;
}
export interface StoreEmbedParams {
  texts: string[];
}
export interface StoreEmbedResult {
  vectors: number[][];
}
export interface HttpRequestParams {
  request_id: string;
  method: string;
  url: string;
  headers: HttpHeader[];
  /**
   * The body in base64.
   */
  body: string | null;
  user?: AuthUser;
  /**
   * Whether the server has an endpoint for the request, which answers it if no route of the app does.
   */
  behind?: boolean;
}
export interface AuthUser {
  identity: string;
  permissions: string[];
  fields: JsonObject;
}
/**
 * A path, as a regular expression, that a route or middleware of the app is for.
 */
export interface AppRoute {
  pattern: string;
  /**
   * Absent means any method.
   */
  methods?: string[];
}
/**
 * The requests that an app gets before the server's own endpoints, and its own description of its routes (OpenAPI).
 */
export interface HttpAppDescription {
  routes: AppRoute[];
  paths?: JsonObject;
  components?: JsonObject;
}
export interface FailedExtra {
  name: 'http_app' | 'auth';
  error: RuntimeError;
}
/**
 * The body follows in http.body notifications, unless the app has no route for the request.
 */
export interface HttpResponseHead {
  status: number;
  headers: HttpHeader[];
}
export interface HttpCancelParams {
  request_id: string;
}
export interface HttpBodyParams {
  request_id: string;
  /**
   * A piece of the body, in base64.
   */
  data: string;
  done: boolean;
}
export interface AuthenticateParams {
  method: string;
  url: string;
  headers: HttpHeader[];
}
export interface AuthRefusal {
  status: number;
  message: string;
  /**
   * Headers that the handler adds to the response.
   */
  headers?: {
    [k: string]: string;
  };
}
/**
 * The user, or why the request was refused.
 */
export interface AuthenticateResult {
  user?: AuthUser;
  refused?: AuthRefusal;
}
export interface AuthorizeParams {
  resource: string;
  action: string;
  user: AuthUser;
  value: JsonObject;
}
export interface AuthorizeResult {
  refused?: AuthRefusal;
  /**
   * Metadata that a resource must have to be visible, and that it gets when it is created.
   */
  filters?: JsonObject;
  /**
   * The value after the handler has changed it.
   */
  value: JsonObject;
}
export interface InitializeParams {
  protocol_version: number;
  /**
   * Absolute path of the folder of langgraph.json.
   */
  project_dir: string;
  graphs: {
    [k: string]: GraphSource;
  };
  extras?: ProjectExtras;
  /**
   * Absolute paths of the project's folders whose modules graphs import by name, in addition to installed packages (Python).
   */
  module_paths?: string[];
  /**
   * Variables that were not yet known when the process was started.
   */
  environment?: {
    [k: string]: string;
  };
  server?: ServerAccess;
}
/**
 * How the project's own code calls the agent server it runs in.
 */
export interface ServerAccess {
  /**
   * The secret that distinguishes calls of the project's own code from all others.
   */
  token: string;
  /**
   * Absent while the server is not listening yet; server.address then announces it.
   */
  url?: string;
}
export interface ServerAddress {
  url: string;
}
export interface LoadedGraph {
  status: 'loaded';
  graph_id: string;
  description?: string;
  /**
   * Whether a function makes the graph for each run, so that loading has not called it.
   */
  is_factory?: boolean;
  location?: SourceLocation;
  /**
   * Where the function of each node was defined, by node name, if that is known without extra work; graph.locations finds the others.
   */
  nodes: {
    [k: string]: SourceLocation;
  };
}
export interface FailedGraph {
  status: 'failed';
  graph_id: string;
  error: RuntimeError;
}
export interface InitializeResult {
  protocol_version: number;
  language: 'node' | 'python';
  language_version: string;
  langgraph_version: string;
  /**
   * How source files are loaded, in words: tsx 4.20, node type stripping, …
   */
  loader: string;
  graphs: GraphStatus[];
  failed_extras?: FailedExtra[];
  http_app?: HttpAppDescription;
}
export interface CheckpointRef {
  checkpoint_ns?: string;
  checkpoint_id?: string;
  checkpoint_map?: JsonObject;
}
export interface PendingWrite {
  task_id: string;
  task_path?: string;
  index: number;
  channel: string;
  value: SerializedValue;
}
/**
 * A stored checkpoint with everything that is needed to continue from it.
 */
export interface CheckpointTuple {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  checkpoint: SerializedValue;
  /**
   * The versions as they were stored, so that a run need not store unchanged values again.
   */
  channel_versions?: {
    [k: string]: string;
  };
  channel_values: {
    [k: string]: SerializedValue;
  };
  metadata: JsonObject;
  pending_writes: PendingWrite[];
}
export interface RunCommand {
  update?: unknown;
  resume?: unknown;
  goto?: unknown;
}
/**
 * Where this run's spans are sent, if not to the place that the environment specifies.
 */
export interface RunTracer {
  project_name?: string;
  example_id?: string;
}
export interface RunExecuteParams {
  /**
   * Also the id of the run's root span, so that a run can be matched to its trace.
   */
  run_id: string;
  thread_id: string;
  assistant_id: string;
  graph_id: string;
  attempt: number;
  /**
   * null continues from the checkpoint.
   */
  input: unknown;
  command: RunCommand | null;
  /**
   * tags, recursion_limit, configurable, metadata.
   */
  config: JsonObject;
  context: JsonObject;
  /**
   * The checkpoint to start from; null means the newest.
   */
  checkpoint: CheckpointRef | null;
  /**
   * The checkpoint the run starts from, sent along to save the round trip; null when the thread has none.
   */
  start_from: CheckpointTuple | null;
  stream_modes: StreamMode[];
  stream_subgraphs: boolean;
  interrupt_before?: NodeSelection;
  interrupt_after?: NodeSelection;
  durability: Durability;
  tracer?: RunTracer;
  /**
   * Whether a resume must name a waiting interrupt; versions of LangGraph without this option ignore it.
   */
  strict_resume?: boolean;
  exchanges?: RunExchanges;
  /**
   * Whether the runtime asks the server before each model call, and reports the usage of each.
   */
  has_cost_cap?: boolean;
}
/**
 * How the HTTP requests of the run's own code are handled: recorded, or answered from a recording.
 */
export interface RunExchanges {
  mode: 'record' | 'replay';
  /**
   * The seed for all random values in the run.
   */
  seed: string;
}
export interface ModelBeginParams {
  run_id: string;
}
export interface ModelBeginResult {
  /**
   * Why neither this call nor any later one of the run may be made.
   */
  refused?: string;
}
/**
 * The usage of a model call that has ended, in the form in which LangChain's own tracer would send it.
 */
export interface ModelEndParams {
  run_id: string;
  /**
   * Milliseconds since 1970.
   */
  started_at: number;
  /**
   * The entries of `metadata` and `invocation_params` that identify the model that was called.
   */
  extra: JsonObject;
  /**
   * The parts of the answer that identify the model and its usage.
   */
  outputs: JsonObject;
}
/**
 * The node and task that sent a request.
 */
export interface ExchangePlace {
  /**
   * Names of nodes from the root graph down, joined by `|`; empty for code outside any node.
   */
  node: string;
  /**
   * Distinguishes the tasks of a node.
   */
  task: string;
}
export interface ExchangeBody {
  encoding: 'utf8' | 'base64';
  data: string;
}
export interface ExchangeRequest {
  method: string;
  url: string;
  headers: HttpHeader[];
  body: ExchangeBody | null;
}
/**
 * A response with its body decompressed, in the pieces in which it arrived.
 */
export interface ExchangeResponse {
  status: number;
  headers: HttpHeader[];
  encoding: 'utf8' | 'base64';
  chunks: string[];
  /**
   * Whether the reader stopped, or the connection broke, before the end.
   */
  cut?: boolean;
  /**
   * For a long body: the number of parts, which are stored separately and contain all of it.
   */
  parts?: number;
}
/**
 * Why a request has no answer, or only a part of one.
 */
export interface ExchangeError {
  message: string;
  code?: string;
  /**
   * The name of the error's class, then the classes of the errors that it wraps.
   */
  types?: string[];
}
/**
 * Pieces of a body, in the order in which they arrived.
 */
export interface ExchangeChunks {
  encoding: 'utf8' | 'base64';
  chunks: string[];
}
/**
 * A part of a long body, sent before the exchange that it belongs to. The request is answered when the part is stored.
 */
export interface ExchangeRecordPartParams {
  run_id: string;
  ordinal: number;
  encoding: 'utf8' | 'base64';
  chunks: string[];
}
/**
 * Requests a part of a body that is being replayed.
 */
export interface ExchangeReadPartParams {
  /**
   * The ID of the replay.
   */
  run_id: string;
  /**
   * The ordinal of the recorded exchange.
   */
  ordinal: number;
  /**
   * The position of the part, from 0.
   */
  part: number;
}
/**
 * A request and its response, or the error if there was none or if it broke off. The server replaces secrets.
 */
export interface ExchangeRecordParams {
  run_id: string;
  /**
   * Increases with every request that a run begins.
   */
  ordinal: number;
  place: ExchangePlace;
  request: ExchangeRequest;
  response: ExchangeResponse | null;
  error?: ExchangeError;
  /**
   * When the request was sent and when its response ended, in milliseconds since 1970.
   */
  times?: {
    start: number;
    end: number;
  };
}
/**
 * Asks for the recorded response to a request.
 */
export interface ExchangeAnswerParams {
  run_id: string;
  place: ExchangePlace;
  request: ExchangeRequest;
}
/**
 * `recorded` has the response or the error; `live` lets the request be sent; `refused` ends the run with the message.
 */
export interface ExchangeAnswer {
  answer: 'recorded' | 'live' | 'refused';
  /**
   * The ordinal of the recorded exchange.
   */
  ordinal?: number;
  response?: ExchangeResponse;
  error?: ExchangeError;
  message?: string;
}
/**
 * The part of a thread's newest state that is kept in the thread's row.
 */
export interface StateSummary {
  values: JsonText;
  next: string[];
  /**
   * The interrupts by task ID, an object as JSON text.
   */
  interrupts: JsonText;
  checkpoint_id: string | null;
}
/**
 * Always the answer to run.execute, even if user code threw an error; a JSON-RPC error means the runtime itself failed.
 */
export interface RunResult {
  status: 'success' | 'interrupted' | 'cancelled' | 'error';
  /**
   * null when the state could not be read.
   */
  state: StateSummary | null;
  error?: RuntimeError;
}
export interface RunCancelParams {
  run_id: string;
}
export interface RunEventsParams {
  run_id: string;
  /**
   * Pairs of event name (with |namespace for subgraphs) and data, in order.
   */
  events: [string, JsonText][];
  /**
   * Whether the events were sent ahead of checkpoints that were made earlier. They do not depend on those, and can be stored and shown without them.
   */
  at_once?: boolean;
}
export interface StateGetParams {
  graph_id: string;
  thread_id: string;
  config: JsonObject;
  context: JsonObject;
  checkpoint: CheckpointRef | null;
  subgraphs: boolean;
  start_from: CheckpointTuple | null;
  /**
   * The parent of start_from; metadata.writes is derived from its tasks. Absent when metadata.writes is not wanted.
   */
  parents?: CheckpointTuple[];
}
export interface StateResult {
  /**
   * A thread state snapshot in the spelling of the interface (docs/interface/agent-server.md#threads).
   */
  state: JsonText;
}
export interface StateHistoryParams {
  graph_id: string;
  thread_id: string;
  config: JsonObject;
  context: JsonObject;
  /**
   * The checkpoints to show, newest first, chosen by the server.
   */
  tuples: CheckpointTuple[];
  /**
   * Parents that are not among the tuples; metadata.writes is derived from their tasks. Absent when metadata.writes is not wanted.
   */
  parents?: CheckpointTuple[];
}
export interface StateHistoryResult {
  states: JsonText[];
  /**
   * Whether this process would compute the same states from the same params again, so that the server may cache them.
   */
  repeatable?: boolean;
}
export interface StateUpdate {
  values?: unknown;
  as_node?: string;
  command?: RunCommand | null;
}
export interface StateUpdateParams {
  graph_id: string;
  thread_id: string;
  config: JsonObject;
  context: JsonObject;
  checkpoint: CheckpointRef | null;
  supersteps: StateUpdate[][];
}
export interface StateUpdateResult {
  checkpoint: {
    thread_id: string;
    checkpoint_ns: string;
    checkpoint_id: string;
  };
  state: StateSummary;
}
/**
 * A node, and the checkpoint from which it ran.
 */
export interface NodeParams {
  graph_id: string;
  thread_id: string;
  config: JsonObject;
  context: JsonObject;
  node: string;
  /**
   * One of the node's tasks in the checkpoint; absent if there is only one.
   */
  task_id?: string;
  /**
   * The namespace of the checkpoint; empty for a node of the root graph.
   */
  checkpoint_ns: string;
  start_from: CheckpointTuple | null;
}
export interface NodeInput {
  /**
   * The input that the node was given; null if it is not known.
   */
  input: JsonText | null;
  /**
   * The writes of the node's task, in the form of `result` of node.run; null if there were none.
   */
  recorded: JsonText | null;
}
export interface NodeRunParams {
  /**
   * An ID for run.cancel, which no run on the server has.
   */
  run_id: string;
  node: NodeParams;
  /**
   * The input to give the node instead of the recorded one; null for the recorded one.
   */
  input: JsonText | null;
}
export interface NodeResult {
  status: 'success' | 'interrupted' | 'error' | 'cancelled';
  /**
   * The writes of the task: update, goto (names, and {node, input} of a Send), interrupts, error; fields that are empty are left out.
   */
  result: JsonText;
  /**
   * Whether the node returned a Command: only then does goto come from the node and not from the graph's edges.
   */
  is_command: boolean;
  error?: RuntimeError;
}
/**
 * The name of the reducer of each key of the state that has a reducer; empty for a reducer without a name.
 */
export interface GraphReducers {
  [k: string]: string;
}
export interface GraphParams {
  graph_id: string;
  config: JsonObject;
  context: JsonObject;
}
export interface GraphSchemas {
  graph_id: string;
  input_schema: JsonObject | null;
  output_schema: JsonObject | null;
  state_schema: JsonObject | null;
  config_schema: JsonObject | null;
  context_schema: JsonObject | null;
}
export interface GraphDrawParams {
  graph_id: string;
  config: JsonObject;
  context: JsonObject;
  xray: boolean | number;
}
export interface GraphDiagram {
  nodes: JsonObject[];
  edges: JsonObject[];
}
export interface GraphSubgraphsParams {
  graph_id: string;
  config: JsonObject;
  context: JsonObject;
  namespace?: string;
  recurse: boolean;
}
/**
 * Where a graph and its nodes are defined. Places that cannot be determined are left out.
 */
export interface GraphLocations {
  location?: SourceLocation;
  nodes: {
    [k: string]: SourceLocation;
  };
}
export interface GraphSubgraphs {
  [k: string]: GraphSchemas;
}
export interface CheckpointPutParams {
  run_id: string | null;
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  /**
   * The checkpoint without its channel values.
   */
  checkpoint: SerializedValue;
  /**
   * The version of each value in the checkpoint, by channel.
   */
  channel_versions: {
    [k: string]: string;
  };
  /**
   * The values of those channels whose version is new.
   */
  channel_values: {
    [k: string]: SerializedValue;
  };
  metadata: JsonObject;
}
export interface CheckpointPutWritesParams {
  run_id: string | null;
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  writes: PendingWrite[];
}
export interface CheckpointGetParams {
  thread_id: string;
  checkpoint_ns: string;
  /**
   * The checkpoint; the newest one when absent.
   */
  checkpoint_id?: string;
}
export interface CheckpointGetResult {
  tuple: CheckpointTuple | null;
}
export interface CheckpointListParams {
  thread_id: string;
  checkpoint_ns?: string;
  /**
   * Only this checkpoint.
   */
  checkpoint_id?: string;
  /**
   * Only checkpoints older than this id.
   */
  before?: string;
  limit?: number;
  /**
   * Metadata that a checkpoint must contain.
   */
  filter?: JsonObject;
}
export interface CheckpointListResult {
  tuples: CheckpointTuple[];
}
export interface ThreadParams {
  thread_id: string;
}
export interface StoreItem {
  namespace: string[];
  key: string;
  value: JsonObject;
  created_at: string;
  updated_at: string;
  score?: number;
}
export interface StoreGet {
  op: 'get';
  namespace: string[];
  key: string;
  refresh_ttl?: boolean;
}
export interface StorePut {
  op: 'put';
  namespace: string[];
  key: string;
  /**
   * null deletes the item.
   */
  value: JsonObject | null;
  index?: false | string[];
  /**
   * Minutes until the item expires.
   */
  ttl?: number;
}
export interface StoreSearch {
  op: 'search';
  namespace_prefix: string[];
  filter?: JsonObject;
  query?: string;
  limit: number;
  offset: number;
  refresh_ttl?: boolean;
}
export interface StoreListNamespaces {
  op: 'list_namespaces';
  prefix?: string[];
  suffix?: string[];
  max_depth?: number;
  limit: number;
  offset: number;
}
export interface StoreBatchParams {
  operations: StoreOperation[];
}
export interface StoreBatchResult {
  answers: StoreAnswer[];
}
export interface LogParams {
  level: 'debug' | 'info' | 'warning' | 'error';
  message: string;
  run_id?: string;
  blocking?: BlockingCall;
}
/**
 * Where the user's asynchronous code blocked its event loop.
 */
export interface BlockingCall {
  /**
   * Absolute path.
   */
  file: string;
  /**
   * The line, counted from 1.
   */
  line: number;
  /**
   * One or two sentences: what happened, and what to do.
   */
  advice: string;
}
