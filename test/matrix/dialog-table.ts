import type { Workbench } from '../support/workbench/workbench.ts';
import type { Dialog, Question } from './dialog.ts';

export const project = 'panel-agents';
export const assistant = 'another';
export const thread = 'a thread';
export const dataset = 'examples';
/** Of a connection that is signed out, beside another one. */
export const host = '127.0.0.1:1';

const command = (title: string) => (workbench: Workbench) => workbench.runCommand(`Agent Harbor: ${title}`);
const ofView = (view: string, title: string) => async (workbench: Workbench) =>
  (await workbench.view(view)).titleAction(title);
const ofRow = (view: string, path: readonly string[], title: string) => async (workbench: Workbench) =>
  (await workbench.view(view)).contextMenuItem([...path], title);

const noPair = [['user=', /“user=” is no pair/]] as const;
const noNumber = [
  ['many', /Give a number/],
  ['0', /Give a number/],
] as const;

const preview: Question = { at: 'Purge traces (1/2): what would go', pick: 'Purge 1 trace…' };
const typedName: Question = {
  at: /^Purge traces \(2\/2\): 1 trace, for good/,
  refuses: [['no', /^That is not /]],
};
const filterOf = (kind: string, question: Question): Dialog => ({
  name: `Filter Traces by ${kind}`,
  open: ofView('Traces', 'Filter Traces'),
  questions: [{ at: 'Filter traces', pick: kind }, question],
});
const purgeOf = (which: string, ...questions: readonly Question[]): Dialog => ({
  name: `Purge Traces: ${which}`,
  open: ofRow('Traces', [project], 'Purge Traces…'),
  questions: [{ at: `Purge which traces of ${project}?`, pick: which }, ...questions, preview, typedName],
});
const retentionOf = (kind: string, question: Question): Dialog => ({
  name: `Retention of Traces: ${kind}`,
  open: ofView('Traces', 'Retention of Traces…'),
  questions: [{ at: 'How long are traces of the workspace kept?', pick: kind }, question],
});
const days: Question = { at: 'How many days?', refuses: noNumber };
const deletionOf = (...questions: readonly Question[]): Dialog => ({
  name: `Delete Examples${questions.length > 1 ? ' for good' : ''}`,
  open: command('Delete Examples…'),
  questions: [
    { at: 'Delete examples of which dataset?', pick: dataset },
    { at: `Delete which examples of ${dataset}?`, ticks: true },
    ...questions,
  ],
});
const projectIn = (language: string): Dialog => ({
  name: `Create an Agent Project in ${language}`,
  open: command('Create an Agent Project…'),
  questions: [
    { at: 'Create an agent project (1/3)', pick: language },
    { at: 'Create an agent project (2/3)', refuses: [['a b', /Letters, digits/]], type: 'never-made' },
    { at: 'Create an agent project (3/3)' },
  ],
});

/** Every dialog that asks something of a local server's user; deploying and what needs a live platform are elsewhere. */
export const dialogs: readonly Dialog[] = [
  { name: 'Run', open: command('Run'), questions: [{ at: 'Select an assistant to run' }] },
  { name: 'Show Actions', open: command('Show Actions'), questions: [{ at: 'Agent Harbor' }] },
  { name: 'Select Deployment', open: command('Select Deployment'), questions: [{ at: 'Select Deployment' }] },
  {
    name: 'New Assistant',
    open: ofView('Assistants', 'New Assistant'),
    questions: [
      { at: 'New assistant of which graph?', pick: 'order' },
      { at: 'New assistant of order', refuses: [[' ', /Give it a name/]] },
    ],
  },
  {
    name: 'Delete Assistant',
    open: ofRow('Assistants', ['order', assistant], 'Delete Assistant…'),
    questions: [{ at: `Delete the assistant “${assistant}”?`, isModal: true }],
  },
  { name: 'New Thread', open: ofView('Threads', 'New Thread'), questions: [{ at: 'New thread' }] },
  {
    name: 'Rename Thread',
    open: ofRow('Threads', ['Idle', thread], 'Rename Thread…'),
    questions: [{ at: 'Rename thread' }],
  },
  {
    name: 'Delete Thread',
    open: ofRow('Threads', ['Idle', thread], 'Delete Thread…'),
    questions: [{ at: `Delete the thread “${thread}”?`, isModal: true }],
  },
  { name: 'Sort Threads', open: ofView('Threads', 'Sort Threads…'), questions: [{ at: 'Sort Threads' }] },
  {
    name: 'Filter Threads',
    open: ofView('Threads', 'Filter Threads'),
    questions: [{ at: 'Filter threads by metadata', refuses: noPair }],
  },
  { name: 'Search Traces', open: ofView('Traces', 'Search Traces'), questions: [{ at: 'Search traces' }] },
  filterOf('Text', { at: 'Search traces' }),
  filterOf('Status', { at: 'Traces with which status?' }),
  filterOf('Name', { at: 'Traces with which name?' }),
  filterOf('Metadata', { at: 'Traces with which metadata?', refuses: noPair }),
  filterOf('Latency', { at: 'Traces that took longer than how many seconds?', refuses: noNumber }),
  filterOf('Feedback', { at: 'Traces with which feedback?' }),
  purgeOf(`All traces of ${project}`),
  purgeOf('Traces before a day…', {
    at: 'Purge traces before which day?',
    refuses: [
      ['soon', /Give a day/],
      ['2026-13-45', /Give a day/],
    ],
    type: '0',
  }),
  purgeOf('Traces with metadata…', {
    at: 'Purge traces with which metadata?',
    refuses: [...noPair, ['', /Give a pair/]],
    type: 'user=ada',
  }),
  {
    name: 'Purge Traces of all projects',
    open: ofView('Traces', 'Purge Traces…'),
    questions: [
      { at: 'Purge traces of which project?', pick: 'All projects' },
      { at: 'Purge traces with which metadata?', type: 'user=ada' },
      preview,
      typedName,
    ],
  },
  {
    name: 'Retention of a project',
    open: ofRow('Traces', [project], 'Retention of Traces…'),
    questions: [{ at: `How long are new traces of ${project} kept?` }],
  },
  retentionOf('Standard for new traces', { at: 'Standard for new traces' }),
  retentionOf('Base retention', days),
  retentionOf('Extended retention', days),
  {
    name: 'Add to Dataset',
    open: ofRow('Traces', [project, 'order'], 'Add to Dataset…'),
    questions: [
      { at: 'Add to which dataset?', pick: 'New dataset…' },
      { at: 'New dataset', refuses: [[' ', /Give it a name/]] },
    ],
  },
  deletionOf({ at: 'Delete 1 example how?' }),
  deletionOf(
    { at: 'Delete 1 example how?', pick: 'Purge from all versions' },
    { at: 'Purge 1 example, for good' },
  ),
  projectIn('TypeScript'),
  projectIn('Python'),
  {
    name: 'Add Connection to an installation',
    open: ofView('Deployments', 'Add Connection…'),
    questions: [
      { at: 'Connect to what?', pick: 'Self-Hosted' },
      {
        at: 'https://agents.example.com',
        refuses: [
          ['', /Enter an address/],
          ['ftp://agents.example.com', /Enter an address/],
          ['http://agents.example.com', /unencrypted/],
        ],
      },
    ],
  },
  {
    name: 'Add Connection to an agent server',
    open: command('Add Connection…'),
    questions: [
      { at: 'Connect to what?', pick: 'Agent Server' },
      { at: 'http://127.0.0.1:2024', type: `http://${host}` },
      { at: 'None', refuses: [['X-Team', /is no header/]] },
    ],
  },
  {
    name: 'Sign In',
    open: command('Sign In…'),
    questions: [
      { at: 'Sign in where?', pick: host },
      { at: `Sign In to ${host}`, refuses: [['', /Enter the key first/]] },
    ],
  },
  { name: 'Sign Out', open: command('Sign Out'), questions: [{ at: 'Sign out where?' }] },
  { name: 'Try Again', open: command('Try Again'), questions: [{ at: 'Connect to what?' }] },
  {
    name: 'Remove Connection',
    open: command('Remove Connection…'),
    questions: [
      { at: 'Remove which connection?', pick: host },
      { at: `Remove the connection to ${host}?`, isModal: true },
    ],
  },
  {
    name: 'Remove Connection of a row',
    open: ofRow('Deployments', [host], 'Remove Connection…'),
    questions: [{ at: `Remove the connection to ${host}?`, isModal: true }],
  },
  {
    name: 'Deploy',
    open: ofView('Deployments', 'Deploy…'),
    questions: [{ at: 'Deploy to which platform?', pick: 'Local' }, { at: 'Deploy' }],
  },
];
