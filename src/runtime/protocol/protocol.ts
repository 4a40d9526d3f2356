// Made from protocol.schema.json by scripts/generate-protocol.ts; change that and run `npm run generate`.

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
 * A JSON document as text. It is stored and sent on as it is, never parsed on the way.
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
   * Where a debugger connects: `ws://…` speaks Chrome's DevTools protocol, `tcp://…` the Debug Adapter Protocol.
   */
  address: string;
}
/**
 * Bytes of the user's own LangGraph serializer.
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
 * Where something was defined or thrown, source maps applied; lines and columns count from 1.
 */
export interface SourceLocation {
  /**
   * Absolute path.
   */
  file: string;
  line: number;
  column?: number;
  /**
   * The line at which a debugger stops when a function of Python is called.
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
 * The extras of a project beside its graphs, each as file:export; loaded on first use.
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
   * The functions that the module exports, in the order of their definition.
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
  run: JsonObject1;
  example: JsonObject;
}
/**
 * The traced run, with child_runs.
 */
export interface JsonObject1 {
  [k: string]: unknown;
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
   * base64
   */
  body: string | null;
  user?: AuthUser;
  /**
   * The server has an endpoint for it too, which answers what no route of the app does.
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
   * Absent for any.
   */
  methods?: string[];
}
/**
 * The requests that an app wants to see before the server's own endpoints do, and its description of its routes (OpenAPI).
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
   * base64
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
}
/**
 * Who it is, or why not.
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
  filters?: JsonObject2;
  value: JsonObject3;
}
/**
 * Metadata that a resource must have to be seen, and gets when it is made.
 */
export interface JsonObject2 {
  [k: string]: unknown;
}
/**
 * The value as the handler left it.
 */
export interface JsonObject3 {
  [k: string]: unknown;
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
   * Absolute folders of the project whose modules graphs import by name, beside what is installed (Python).
   */
  module_paths?: string[];
  /**
   * Variables that were not known yet when the process was begun.
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
   * Tells such a call from any other.
   */
  token: string;
  /**
   * Absent while the server does not listen yet; server.address tells it then.
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
   * Node name to where its function was defined, as far as that costs nothing to know; graph.locations tells the rest.
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
 * A stored checkpoint with everything needed to continue from it.
 */
export interface CheckpointTuple {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  checkpoint: SerializedValue;
  /**
   * As they were put; with them a run need not put again what has not changed.
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
 * Where this run's spans go, when not where the environment says.
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
  config: JsonObject4;
  context: JsonObject;
  /**
   * Where to start from; null is the newest.
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
   * A resume must name an interrupt that waits; versions of LangGraph that do not know this ignore it.
   */
  strict_resume?: boolean;
  exchanges?: RunExchanges;
  /**
   * Asks the server before each model call, and tells it what each used.
   */
  has_cost_cap?: boolean;
}
/**
 * tags, recursion_limit, configurable, metadata.
 */
export interface JsonObject4 {
  [k: string]: unknown;
}
/**
 * What is done with the HTTP requests of the run's own code: recorded, or answered from a recording.
 */
export interface RunExchanges {
  mode: 'record' | 'replay';
  /**
   * What is random in the run is made from it.
   */
  seed: string;
}
export interface ModelBeginParams {
  run_id: string;
}
export interface ModelBeginResult {
  /**
   * Why the call must not be made, nor any other one of the run.
   */
  refused?: string;
}
/**
 * What a model call that has ended used, in the form in which LangChain's own tracer would send it.
 */
export interface ModelEndParams {
  run_id: string;
  /**
   * Milliseconds since the epoch.
   */
  started_at: number;
  extra: JsonObject5;
  outputs: JsonObject6;
}
/**
 * What of `metadata` and `invocation_params` says which model was called.
 */
export interface JsonObject5 {
  [k: string]: unknown;
}
/**
 * What of the answer says which model gave it and what it used.
 */
export interface JsonObject6 {
  [k: string]: unknown;
}
/**
 * Who sent a request.
 */
export interface ExchangePlace {
  /**
   * Names of nodes from the root graph down, joined by `|`; empty outside of nodes.
   */
  node: string;
  /**
   * Tells the tasks of a node apart.
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
 * The body is in the pieces that it came in, decompressed.
 */
export interface ExchangeResponse {
  status: number;
  headers: HttpHeader[];
  encoding: 'utf8' | 'base64';
  chunks: string[];
  /**
   * The reader left, or the connection broke, before the end.
   */
  cut?: boolean;
  /**
   * Of a long body: how many parts are kept apart, which are all of it.
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
   * The name of its class, then those of the errors that it wraps.
   */
  types?: string[];
}
/**
 * Pieces of a body, in the order that they came in.
 */
export interface ExchangeChunks {
  encoding: 'utf8' | 'base64';
  chunks: string[];
}
/**
 * A part of a long body, sent before the exchange that it belongs to. It is answered when it is stored.
 */
export interface ExchangeRecordPartParams {
  run_id: string;
  ordinal: number;
  encoding: 'utf8' | 'base64';
  chunks: string[];
}
/**
 * Asks for a part of a body that is replayed.
 */
export interface ExchangeReadPartParams {
  /**
   * The replay.
   */
  run_id: string;
  /**
   * Of the recorded exchange.
   */
  ordinal: number;
  /**
   * From 0.
   */
  part: number;
}
/**
 * A request and what it was answered; with an error when it was not, or the answer broke off. Secrets are replaced by the server.
 */
export interface ExchangeRecordParams {
  run_id: string;
  /**
   * Rises with every request that a run begins.
   */
  ordinal: number;
  place: ExchangePlace;
  request: ExchangeRequest;
  response: ExchangeResponse | null;
  error?: ExchangeError;
  /**
   * When it was sent and when its answer ended, in milliseconds since 1970.
   */
  times?: {
    start: number;
    end: number;
  };
}
/**
 * What does the recording answer?
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
   * Of the recorded exchange.
   */
  ordinal?: number;
  response?: ExchangeResponse;
  error?: ExchangeError;
  message?: string;
}
/**
 * The part of its newest state that the thread's row keeps.
 */
export interface StateSummary {
  values: JsonText;
  next: string[];
  /**
   * A JSON document as text. It is stored and sent on as it is, never parsed on the way.
   */
  interrupts: string;
  checkpoint_id: string | null;
}
/**
 * Always the answer to run.execute, also when user code threw; a JSON-RPC error means the runtime itself failed.
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
   * They say nothing of what is stored beside them, and were sent before checkpoints that were made earlier: they can be stored and shown without them.
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
   * A JSON document as text. It is stored and sent on as it is, never parsed on the way.
   */
  state: string;
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
   * Whether this process computes the same states of the same params again, so that the server may keep them.
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
   * Which of the checkpoint's tasks; absent when the node has only one there.
   */
  task_id?: string;
  /**
   * Empty for a node of the root graph.
   */
  checkpoint_ns: string;
  start_from: CheckpointTuple | null;
}
export interface NodeInput {
  /**
   * What the node was given; null when that is not known.
   */
  input: JsonText | null;
  /**
   * What its task wrote, as `result` of node.run; null when it wrote nothing.
   */
  recorded: JsonText | null;
}
export interface NodeRunParams {
  /**
   * For run.cancel. No run of the server has it.
   */
  run_id: string;
  node: NodeParams;
  /**
   * What to give the node instead; null for what was recorded.
   */
  input: JsonText | null;
}
export interface NodeResult {
  status: 'success' | 'interrupted' | 'error' | 'cancelled';
  /**
   * A JSON document as text. It is stored and sent on as it is, never parsed on the way.
   */
  result: string;
  /**
   * Whether the node returned a Command: only then does goto come from the node and not from the graph's edges.
   */
  is_command: boolean;
  error?: RuntimeError;
}
/**
 * The reducer of each key of the state that has one, by its name; empty when it has none.
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
 * Where a graph was written. What cannot be known is left out.
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
  checkpoint: SerializedValue1;
  /**
   * Every channel of the checkpoint to the version its value has.
   */
  channel_versions: {
    [k: string]: string;
  };
  /**
   * Only the channels whose version is new.
   */
  channel_values: {
    [k: string]: SerializedValue;
  };
  metadata: JsonObject;
}
/**
 * Bytes of the user's own LangGraph serializer.
 */
export interface SerializedValue1 {
  /**
   * The serializer's type tag, such as json or msgpack.
   */
  type: string;
  encoding: 'utf8' | 'base64';
  data: string;
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
   * The newest one when absent.
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
   * Only checkpoints older than this id.
   */
  before?: string;
  limit?: number;
  filter?: JsonObject7;
}
/**
 * Metadata that must be contained.
 */
export interface JsonObject7 {
  [k: string]: unknown;
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
   * null deletes.
   */
  value: JsonObject | null;
  index?: false | string[];
  /**
   * Minutes.
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
 * Where the user's asynchronous code held up its event loop.
 */
export interface BlockingCall {
  /**
   * Absolute path.
   */
  file: string;
  /**
   * From 1.
   */
  line: number;
  /**
   * One or two sentences: what happened, and what to do.
   */
  advice: string;
}
