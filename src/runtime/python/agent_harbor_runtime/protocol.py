"""Made from src/runtime/protocol/protocol.schema.json by `npm run generate`; change that document instead."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

PROTOCOL_VERSION = 1

JsonObject = dict[str, Any]
JsonText = str
HttpHeader = tuple[str, str]
StreamMode = Literal["values", "updates", "messages", "messages-tuple", "tasks", "checkpoints", "events", "debug", "custom", "tools", "extensions"]
Durability = Literal["sync", "async", "exit"]
NodeSelection = Literal["*"] | list[str]
GraphReducers = dict[str, str]


class Empty(TypedDict):
    pass


class DebuggerAddress(TypedDict):
    address: str


class SerializedValue(TypedDict):
    """Bytes from the user's own LangGraph serializer."""

    type: str
    encoding: Literal["utf8", "base64"]
    data: str


class SourceLocation(TypedDict):
    """Where something was defined or thrown, with source maps applied; lines and columns start at 1."""

    file: str
    line: int
    column: NotRequired[int]
    body_line: NotRequired[int]


class RuntimeError(TypedDict):
    name: str
    message: str
    stack: NotRequired[str]
    location: NotRequired[SourceLocation]


class GraphSource(TypedDict):
    path: str
    description: NotRequired[str]


class ProjectExtras(TypedDict):
    """A project's extras beside its graphs, each as file:export; loaded on first use."""

    embed: NotRequired[str]
    http_app: NotRequired[str]
    auth: NotRequired[str]


class EvaluatorsListParams(TypedDict):
    file: str


class EvaluatorsListResult(TypedDict):
    names: list[str]


class EvaluatorsRunParams(TypedDict):
    file: str
    name: str
    run: JsonObject
    example: JsonObject


class EvaluatorsRunResult(TypedDict):
    results: list[EvaluationResult]


class EvaluationResult(TypedDict):
    """A score, as LangSmith's evaluators give it."""

    key: str
    score: NotRequired[float | bool | None]
    value: NotRequired[Any]
    comment: NotRequired[str | None]
    correction: NotRequired[Any]
    source_run_id: NotRequired[str | None]


class StoreEmbedParams(TypedDict):
    texts: list[str]


class StoreEmbedResult(TypedDict):
    vectors: list[list[float]]


class HttpRequestParams(TypedDict):
    request_id: str
    method: str
    url: str
    headers: list[HttpHeader]
    body: str | None
    user: NotRequired[AuthUser]
    behind: NotRequired[bool]


class AppRoute(TypedDict):
    """A path, as a regular expression, that a route or middleware of the app is for."""

    pattern: str
    methods: NotRequired[list[str]]


class HttpAppDescription(TypedDict):
    """The requests that an app gets before the server's own endpoints, and its own description of its routes (OpenAPI)."""

    routes: list[AppRoute]
    paths: NotRequired[JsonObject]
    components: NotRequired[JsonObject]


class FailedExtra(TypedDict):
    name: Literal["http_app", "auth"]
    error: RuntimeError


class HttpResponseHead(TypedDict):
    """The body follows in http.body notifications, unless the app has no route for the request."""

    status: int
    headers: list[HttpHeader]


class HttpCancelParams(TypedDict):
    request_id: str


class HttpBodyParams(TypedDict):
    request_id: str
    data: str
    done: bool


class AuthenticateParams(TypedDict):
    method: str
    url: str
    headers: list[HttpHeader]


class AuthRefusal(TypedDict):
    status: int
    message: str
    headers: NotRequired[dict[str, str]]


class AuthUser(TypedDict):
    identity: str
    permissions: list[str]
    fields: JsonObject


class AuthenticateResult(TypedDict):
    """The user, or why the request was refused."""

    user: NotRequired[AuthUser]
    refused: NotRequired[AuthRefusal]


class AuthorizeParams(TypedDict):
    resource: str
    action: str
    user: AuthUser
    value: JsonObject


class AuthorizeResult(TypedDict):
    refused: NotRequired[AuthRefusal]
    filters: NotRequired[JsonObject]
    value: JsonObject


class InitializeParams(TypedDict):
    protocol_version: int
    project_dir: str
    graphs: dict[str, GraphSource]
    extras: NotRequired[ProjectExtras]
    module_paths: NotRequired[list[str]]
    environment: NotRequired[dict[str, str]]
    server: NotRequired[ServerAccess]


class ServerAccess(TypedDict):
    """How the project's own code calls the agent server it runs in."""

    token: str
    url: NotRequired[str]


class ServerAddress(TypedDict):
    url: str


class LoadedGraph(TypedDict):
    status: Literal["loaded"]
    graph_id: str
    description: NotRequired[str]
    is_factory: NotRequired[bool]
    location: NotRequired[SourceLocation]
    nodes: dict[str, SourceLocation]


class FailedGraph(TypedDict):
    status: Literal["failed"]
    graph_id: str
    error: RuntimeError


class InitializeResult(TypedDict):
    protocol_version: int
    language: Literal["node", "python"]
    language_version: str
    langgraph_version: str
    loader: str
    graphs: list[GraphStatus]
    failed_extras: NotRequired[list[FailedExtra]]
    http_app: NotRequired[HttpAppDescription]


class CheckpointRef(TypedDict):
    checkpoint_ns: NotRequired[str]
    checkpoint_id: NotRequired[str]
    checkpoint_map: NotRequired[JsonObject]


class PendingWrite(TypedDict):
    task_id: str
    task_path: NotRequired[str]
    index: int
    channel: str
    value: SerializedValue


class CheckpointTuple(TypedDict):
    """A stored checkpoint with everything that is needed to continue from it."""

    thread_id: str
    checkpoint_ns: str
    checkpoint_id: str
    parent_checkpoint_id: str | None
    checkpoint: SerializedValue
    channel_versions: NotRequired[dict[str, str]]
    channel_values: dict[str, SerializedValue]
    metadata: JsonObject
    pending_writes: list[PendingWrite]


class RunCommand(TypedDict):
    update: NotRequired[Any]
    resume: NotRequired[Any]
    goto: NotRequired[Any]


class RunTracer(TypedDict):
    """Where this run's spans are sent, if not to the place that the environment specifies."""

    project_name: NotRequired[str]
    example_id: NotRequired[str]


class RunExecuteParams(TypedDict):
    run_id: str
    thread_id: str
    assistant_id: str
    graph_id: str
    attempt: int
    input: Any
    command: RunCommand | None
    config: JsonObject
    context: JsonObject
    checkpoint: CheckpointRef | None
    start_from: CheckpointTuple | None
    stream_modes: list[StreamMode]
    stream_subgraphs: bool
    interrupt_before: NotRequired[NodeSelection]
    interrupt_after: NotRequired[NodeSelection]
    durability: Durability
    tracer: NotRequired[RunTracer]
    strict_resume: NotRequired[bool]
    exchanges: NotRequired[RunExchanges]
    has_cost_cap: NotRequired[bool]


class RunExchanges(TypedDict):
    """How the HTTP requests of the run's own code are handled: recorded, or answered from a recording."""

    mode: Literal["record", "replay"]
    seed: str


class ModelBeginParams(TypedDict):
    run_id: str


class ModelBeginResult(TypedDict):
    refused: NotRequired[str]


class ModelEndParams(TypedDict):
    """The usage of a model call that has ended, in the form in which LangChain's own tracer would send it."""

    run_id: str
    started_at: float
    extra: JsonObject
    outputs: JsonObject


class ExchangePlace(TypedDict):
    """The node and task that sent a request."""

    node: str
    task: str


class ExchangeBody(TypedDict):
    encoding: Literal["utf8", "base64"]
    data: str


class ExchangeRequest(TypedDict):
    method: str
    url: str
    headers: list[HttpHeader]
    body: ExchangeBody | None


class ExchangeResponse(TypedDict):
    """A response with its body decompressed, in the pieces in which it arrived."""

    status: int
    headers: list[HttpHeader]
    encoding: Literal["utf8", "base64"]
    chunks: list[str]
    cut: NotRequired[bool]
    parts: NotRequired[int]


class ExchangeError(TypedDict):
    """Why a request has no answer, or only a part of one."""

    message: str
    code: NotRequired[str]
    types: NotRequired[list[str]]


class ExchangeChunks(TypedDict):
    """Pieces of a body, in the order in which they arrived."""

    encoding: Literal["utf8", "base64"]
    chunks: list[str]


class ExchangeRecordPartParams(TypedDict):
    """A part of a long body, sent before the exchange that it belongs to. The request is answered when the part is stored."""

    run_id: str
    ordinal: int
    encoding: Literal["utf8", "base64"]
    chunks: list[str]


class ExchangeReadPartParams(TypedDict):
    """Requests a part of a body that is being replayed."""

    run_id: str
    ordinal: int
    part: int


class ExchangeRecordParams(TypedDict):
    """A request and its response, or the error if there was none or if it broke off. The server replaces secrets."""

    run_id: str
    ordinal: int
    place: ExchangePlace
    request: ExchangeRequest
    response: ExchangeResponse | None
    error: NotRequired[ExchangeError]
    times: NotRequired[dict[str, Any]]


class ExchangeAnswerParams(TypedDict):
    """Asks for the recorded response to a request."""

    run_id: str
    place: ExchangePlace
    request: ExchangeRequest


class ExchangeAnswer(TypedDict):
    """`recorded` has the response or the error; `live` lets the request be sent; `refused` ends the run with the message."""

    answer: Literal["recorded", "live", "refused"]
    ordinal: NotRequired[int]
    response: NotRequired[ExchangeResponse]
    error: NotRequired[ExchangeError]
    message: NotRequired[str]


class StateSummary(TypedDict):
    """The part of a thread's newest state that is kept in the thread's row."""

    values: JsonText
    next: list[str]
    interrupts: JsonText
    checkpoint_id: str | None


class RunResult(TypedDict):
    """Always the answer to run.execute, even if user code threw an error; a JSON-RPC error means the runtime itself failed."""

    status: Literal["success", "interrupted", "cancelled", "error"]
    state: StateSummary | None
    error: NotRequired[RuntimeError]


class RunCancelParams(TypedDict):
    run_id: str


class RunEventsParams(TypedDict):
    run_id: str
    events: list[tuple[str, JsonText]]
    at_once: NotRequired[bool]


class StateGetParams(TypedDict):
    graph_id: str
    thread_id: str
    config: JsonObject
    context: JsonObject
    checkpoint: CheckpointRef | None
    subgraphs: bool
    start_from: CheckpointTuple | None
    parents: NotRequired[list[CheckpointTuple]]


class StateResult(TypedDict):
    state: JsonText


class StateHistoryParams(TypedDict):
    graph_id: str
    thread_id: str
    config: JsonObject
    context: JsonObject
    tuples: list[CheckpointTuple]
    parents: NotRequired[list[CheckpointTuple]]


class StateHistoryResult(TypedDict):
    states: list[JsonText]
    repeatable: NotRequired[bool]


class StateUpdate(TypedDict):
    values: NotRequired[Any]
    as_node: NotRequired[str]
    command: NotRequired[RunCommand | None]


class StateUpdateParams(TypedDict):
    graph_id: str
    thread_id: str
    config: JsonObject
    context: JsonObject
    checkpoint: CheckpointRef | None
    supersteps: list[list[StateUpdate]]


class StateUpdateResult(TypedDict):
    checkpoint: dict[str, Any]
    state: StateSummary


class NodeParams(TypedDict):
    """A node, and the checkpoint from which it ran."""

    graph_id: str
    thread_id: str
    config: JsonObject
    context: JsonObject
    node: str
    task_id: NotRequired[str]
    checkpoint_ns: str
    start_from: CheckpointTuple | None


class NodeInput(TypedDict):
    input: JsonText | None
    recorded: JsonText | None


class NodeRunParams(TypedDict):
    run_id: str
    node: NodeParams
    input: JsonText | None


class NodeResult(TypedDict):
    status: Literal["success", "interrupted", "error", "cancelled"]
    result: JsonText
    is_command: bool
    error: NotRequired[RuntimeError]


class GraphParams(TypedDict):
    graph_id: str
    config: JsonObject
    context: JsonObject


class GraphSchemas(TypedDict):
    graph_id: str
    input_schema: JsonObject | None
    output_schema: JsonObject | None
    state_schema: JsonObject | None
    config_schema: JsonObject | None
    context_schema: JsonObject | None


class GraphDrawParams(TypedDict):
    graph_id: str
    config: JsonObject
    context: JsonObject
    xray: bool | int


class GraphDiagram(TypedDict):
    nodes: list[JsonObject]
    edges: list[JsonObject]


class GraphSubgraphsParams(TypedDict):
    graph_id: str
    config: JsonObject
    context: JsonObject
    namespace: NotRequired[str]
    recurse: bool


class GraphLocations(TypedDict):
    """Where a graph and its nodes are defined. Places that cannot be determined are left out."""

    location: NotRequired[SourceLocation]
    nodes: dict[str, SourceLocation]


class CheckpointPutParams(TypedDict):
    run_id: str | None
    thread_id: str
    checkpoint_ns: str
    checkpoint_id: str
    parent_checkpoint_id: str | None
    checkpoint: SerializedValue
    channel_versions: dict[str, str]
    channel_values: dict[str, SerializedValue]
    metadata: JsonObject


class CheckpointPutWritesParams(TypedDict):
    run_id: str | None
    thread_id: str
    checkpoint_ns: str
    checkpoint_id: str
    writes: list[PendingWrite]


class CheckpointGetParams(TypedDict):
    thread_id: str
    checkpoint_ns: str
    checkpoint_id: NotRequired[str]


class CheckpointGetResult(TypedDict):
    tuple: CheckpointTuple | None


class CheckpointListParams(TypedDict):
    thread_id: str
    checkpoint_ns: NotRequired[str]
    checkpoint_id: NotRequired[str]
    before: NotRequired[str]
    limit: NotRequired[int]
    filter: NotRequired[JsonObject]


class CheckpointListResult(TypedDict):
    tuples: list[CheckpointTuple]


class ThreadParams(TypedDict):
    thread_id: str


class StoreItem(TypedDict):
    namespace: list[str]
    key: str
    value: JsonObject
    created_at: str
    updated_at: str
    score: NotRequired[float]


class StoreGet(TypedDict):
    op: Literal["get"]
    namespace: list[str]
    key: str
    refresh_ttl: NotRequired[bool]


class StorePut(TypedDict):
    op: Literal["put"]
    namespace: list[str]
    key: str
    value: JsonObject | None
    index: NotRequired[Literal[False] | list[str]]
    ttl: NotRequired[float]


class StoreSearch(TypedDict):
    op: Literal["search"]
    namespace_prefix: list[str]
    filter: NotRequired[JsonObject]
    query: NotRequired[str]
    limit: int
    offset: int
    refresh_ttl: NotRequired[bool]


class StoreListNamespaces(TypedDict):
    op: Literal["list_namespaces"]
    prefix: NotRequired[list[str]]
    suffix: NotRequired[list[str]]
    max_depth: NotRequired[int]
    limit: int
    offset: int


class StoreBatchParams(TypedDict):
    operations: list[StoreOperation]


class StoreBatchResult(TypedDict):
    answers: list[StoreAnswer]


class LogParams(TypedDict):
    level: Literal["debug", "info", "warning", "error"]
    message: str
    run_id: NotRequired[str]
    blocking: NotRequired[BlockingCall]


class BlockingCall(TypedDict):
    """Where the user's asynchronous code blocked its event loop."""

    file: str
    line: int
    advice: str

GraphStatus = LoadedGraph | FailedGraph
GraphSubgraphs = dict[str, GraphSchemas]
StoreOperation = StoreGet | StorePut | StoreSearch | StoreListNamespaces
StoreAnswer = dict[str, Any]
