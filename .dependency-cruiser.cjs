// Who may import whom (see CONTRIBUTING, "Layout"). Everything not allowed below is an error.
const layer = (name, allowed, reason) => ({
  name,
  severity: 'error',
  comment: reason,
  from: { path: `^src/${name}/` },
  to: { path: '^src/', pathNot: allowed.map((folder) => `^src/${folder}/`) },
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    layer('contract', ['contract'], 'The contract imports zod and nothing of ours.'),
    layer('client', ['contract', 'client'], 'The client knows only the contract.'),
    layer('launcher', ['contract', 'client', 'launcher'], 'The launcher greets servers through the client.'),
    layer(
      'cli',
      ['contract', 'client', 'launcher', 'cli'],
      'The command line is a client; it never imports the server.',
    ),
    layer(
      'extension',
      ['contract', 'client', 'launcher', 'extension'],
      'The extension is a client; it never imports the server.',
    ),
    layer(
      'server',
      ['contract', 'server', 'runtime/protocol'],
      'The server answers the contract and speaks the runtime protocol.',
    ),
    layer('runtime/protocol', ['runtime/protocol'], 'The protocol stands by itself.'),
    layer('runtime/node', ['runtime/protocol', 'runtime/node'], 'A runtime knows only the protocol.'),
    layer(
      'webviews',
      ['contract', 'webviews', 'extension/panels'],
      'Webviews know types of the contract and of the messages of their panel; test/architecture holds that only types.',
    ),
    layer('language-server', ['contract', 'language-server'], 'The language server stands by itself.'),
    {
      name: 'contract-libraries',
      severity: 'error',
      comment: 'The contract imports zod and nothing else.',
      from: { path: '^src/contract/' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'core'], pathNot: 'node_modules/zod/' },
    },
    {
      name: 'webviews-never-import-node',
      severity: 'error',
      from: { path: '^src/webviews/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'only-the-extension-imports-vscode',
      severity: 'error',
      from: { path: '^src/(?!extension/)' },
      to: { path: '^vscode$' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: { path: '^src/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'not-to-tests', severity: 'error', from: { path: '^src/' }, to: { path: '^test/' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The parser reads no JSX; what components may import is held by biome.json.
    exclude: { path: '\\.tsx$' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
