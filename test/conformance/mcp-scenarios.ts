/**
 * Scenarios of `@modelcontextprotocol/conformance` that fail because they require features of the reference server, and
 * single checks in scenarios that otherwise pass; each with the reason.
 */
const RESOURCES_AND_PROMPTS = 'an assistant is a tool: resources, prompts and completions are not offered';
const LOGGING = 'logging is not offered';
const ONLY_TOOL = 'wants a tool of the reference server that no graph can be';
const PICTURES =
  'wants a tool of the reference server: a graph answers its state, as text and as structured content';
const ITS_OWN_QUESTIONS =
  'wants sampling, roots or the keys of the reference server; a graph asks by elicitation';
const OPEN_STREAM =
  'wants a question on an open stream, which clients of this version get as a result instead';
const TASKS =
  'wants calls that are tasks at once, and their answers within seconds; mcp-client.test.ts follows tasks';
const SECONDS = 'waits half a second for its answer, which is not enough on a busy machine';

const OFFERED = {
  'completion-complete': RESOURCES_AND_PROMPTS,
  'prompts-get-embedded-resource': RESOURCES_AND_PROMPTS,
  'prompts-get-simple': RESOURCES_AND_PROMPTS,
  'prompts-get-with-args': RESOURCES_AND_PROMPTS,
  'prompts-get-with-image': RESOURCES_AND_PROMPTS,
  'prompts-list': RESOURCES_AND_PROMPTS,
  'resources-list': RESOURCES_AND_PROMPTS,
  'resources-read-binary': RESOURCES_AND_PROMPTS,
  'resources-read-text': RESOURCES_AND_PROMPTS,
  'resources-templates-read': RESOURCES_AND_PROMPTS,
  'json-schema-2020-12': ONLY_TOOL,
  'tools-call-audio': PICTURES,
  'tools-call-embedded-resource': PICTURES,
  'tools-call-image': PICTURES,
  'tools-call-mixed-content': PICTURES,
  'tools-call-with-progress': 'no progress is told: a graph does not say how far it is',
};

/** By the version of MCP whose requirements are run. */
export const leftOut: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '2025-11-25': {
    ...OFFERED,
    'elicitation-sep1034-defaults': OPEN_STREAM,
    'elicitation-sep1330-enums': OPEN_STREAM,
    'logging-set-level': LOGGING,
    'resources-subscribe': RESOURCES_AND_PROMPTS,
    'resources-unsubscribe': RESOURCES_AND_PROMPTS,
    'tools-call-elicitation': OPEN_STREAM,
    'tools-call-sampling': OPEN_STREAM,
    'tools-call-with-logging': LOGGING,
  },
  '2026-07-28': {
    ...OFFERED,
    'caching:sep-2549-prompts-list-caching-hints': RESOURCES_AND_PROMPTS,
    'caching:sep-2549-resources-list-caching-hints': RESOURCES_AND_PROMPTS,
    'caching:sep-2549-resources-templates-list-caching-hints': RESOURCES_AND_PROMPTS,
    'http-custom-header-server-validation': 'no tool takes its arguments from headers',
    'input-required-result-basic-elicitation': ITS_OWN_QUESTIONS,
    'input-required-result-basic-list-roots': ITS_OWN_QUESTIONS,
    'input-required-result-basic-sampling': ITS_OWN_QUESTIONS,
    'input-required-result-capability-check': ITS_OWN_QUESTIONS,
    'input-required-result-multiple-input-requests': ITS_OWN_QUESTIONS,
    'input-required-result-non-tool-request': RESOURCES_AND_PROMPTS,
    'server-stateless:sep-2575-http-server-no-independent-requests-on-stream': SECONDS,
    'server-stateless:sep-2575-missing-capability-http-400': ITS_OWN_QUESTIONS,
    'server-stateless:sep-2575-server-no-log-without-loglevel': SECONDS,
    'server-stateless:sep-2575-server-rejects-undeclared-capability': ITS_OWN_QUESTIONS,
    'tasks-capability-negotiation': TASKS,
    'tasks-dispatch-and-envelope': TASKS,
    'tasks-lifecycle': TASKS,
    'tasks-mrtr-composition': TASKS,
    'tasks-mrtr-input': TASKS,
    'tasks-request-headers': TASKS,
    'tasks-request-state-removal': TASKS,
    'tasks-required-task-error': TASKS,
    'tasks-wire-fields': TASKS,
  },
};
