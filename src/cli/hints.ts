/**
 * Command lines that users try, with the command that they probably mean. The first match is shown with the
 * error.
 */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^(ps|ls|list)\b/, 'Use agent-harbor status, or agent-harbor deployments.'],
  [/^graphs?\b/, 'Use agent-harbor assistants list, or agent-harbor assistants graph <graph>.'],
  [/^(init|create)\b/, 'Use agent-harbor new <folder>.'],
  [
    /^(chat|ask|invoke|exec|stream)\b/,
    'Use agent-harbor run <graph>, which starts a chat, or agent-harbor run <graph> "text".',
  ],
  [
    /^start\b/,
    'Use agent-harbor dev to serve the agent of this folder, or agent-harbor serve for the platform alone.',
  ],
  [/^image\b/, 'Use agent-harbor build --tag <name>.'],
  [/^(kill|down|shutdown|restart)\b/, 'Use agent-harbor stop.'],
  [/^debug\b/, 'Use agent-harbor dev and attach a debugger, or press F5 in VS Code.'],
  [
    /^(history|state)\b/,
    'Use agent-harbor threads history <thread>, or agent-harbor threads state <thread>.',
  ],
  [
    /^(login|auth|whoami)\b/,
    'The local server needs no login. For others, set LANGSMITH_API_KEY and use --connection.',
  ],
  [
    /^experiments?\b/,
    'Use agent-harbor datasets experiments <dataset>; each is a tracing project: agent-harbor traces --project <name>.',
  ],
  [/^(evaluate|evals|test)\b/, 'Use agent-harbor eval.'],
  [/^(revisions|deployments revisions)\b/, 'Use agent-harbor revisions <deployment>.'],
  [
    /^deployments (get|show|logs)\b/,
    'Use agent-harbor revisions <deployment>, or agent-harbor logs <deployment>.',
  ],
  [/^threads rename\b/, 'Use agent-harbor threads update <thread> --metadata title="New title".'],
  [/^runs (start|new)\b/, 'Use agent-harbor runs create <graph>, or agent-harbor run <graph>.'],
  [
    /^runs (get|follow|join|cancel|delete)\b/,
    'A run is identified by its thread ID and its run ID. agent-harbor trace <run> needs only the run ID.',
  ],
  [
    /^new\b.* --(py|python|ts|typescript|js|javascript|lang|language)\b/,
    'Use --template python or --template typescript.',
  ],
  [/^new\b.* --template\b/, 'The templates are python and typescript.'],
  [/^run\b.* --stream\b/, 'A run is always streamed. --stream-mode chooses what.'],
  [/^deploy\b.* --dry-run\b/, 'Use agent-harbor check to find problems without deploying.'],
  [
    /^traces\b.* --deployment\b/,
    'Traces of a deployment are in the project with its name: --project <name>.',
  ],
  [/^feedback\b.* --(up|down|good|bad)\b/, 'Use agent-harbor feedback <run> good, or bad.'],
];

/** The hint for a wrong command line; undefined if there is none. @param argv the arguments */
export function hintFor(argv: readonly string[]): string | undefined {
  const line = argv.join(' ');
  return HINTS.find(([pattern]) => pattern.test(line))?.[1];
}

/** Commands that print a list and need no subcommand `list`, although some users type it. */
const LISTS = ['traces', 'deployments', 'projects'];

/** The command line without a superfluous `list`. */
export function withoutList(argv: readonly string[]): readonly string[] {
  const [command = '', subcommand, ...rest] = argv;
  // A deployment may be named `list`.
  const hasDeployment = command === 'revisions' && rest[0] !== undefined && !rest[0].startsWith('-');
  return subcommand === 'list' && (LISTS.includes(command) || hasDeployment) ? [command, ...rest] : argv;
}
