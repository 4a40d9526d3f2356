import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { EnvFileError, parseEnvFile, readEnvFile } from '../../src/project/env-file.ts';
import { envValue, withValues } from '../../src/project/write-env-file.ts';
import { langgraphCli } from '../support/langgraph-cli.ts';
import { skip } from '../support/skip.ts';

const environment = { OUTSIDE: 'from outside', BOTH: 'outside' };

/** Texts without bad lines. */
const TEXTS = [
  'A=1\nB = two words \n\n  C=3  # comment\n',
  'HASH=a#b\nCOMMENT=a #b\nTAB=a\t# b # c\nBEGIN=#b\nEMPTY= #b\nNONE=\nSPACES=   \n# A=2\n   # B=2',
  'export A=1\n export\tB=2\nexport=4\nexported=5\n',
  'BASE=/root\nA=${BASE}/y\nB="${BASE}/y"\nC=\'${BASE}/y\'\nD=$BASE\nE=\\${BASE}\nF=${NONE}x\nG=${NONE:-other}\nH=${BASE:-other}\n',
  'A=${OUTSIDE}\nBOTH=inside\nB=${BOTH}\nLATER=${LAST}\nLAST=1\nC=${NONE:-${A}}\nD=${}\nEMPTY=\nE=${EMPTY:-default}\n',
  'A="one\ntwo # three\n"\nB=\'one\r\ntwo\'\r\nC="x" # comment\nD=\'\'\nE=""#c\n',
  String.raw`A="tab\t quote\" back\\ newline\n single\' other\x \a\b\f\r\v"` +
    '\n' +
    String.raw`B='it\'s\n \\ \"'` +
    '\n' +
    String.raw`C=plain\n\t "quoted" 'too'`,
  'A=1\nA=2\nB=${A}\nA=3\nC=${A}\n',
  "'Q q'=1\na.b=2\nc-d=3\nÜ=ü\nE=a=b=c\nF==\nG=it's\nH=x\"y\" #\n",
  '\uFEFFA=1\r\nB=2\rC=3\n\u00a0D=4',
  'URL=postgres://user:p#ss@host:5432/db?x=1&y=2\nJSON={"a": "b # c"}\nLIST=[1, 2]\n',
];

describe('an env file', () => {
  it('is read as python-dotenv reads it', async function () {
    this.timeout(240_000);
    const cli = await langgraphCli();
    if ('missing' in cli) return skip(this, cli.missing);
    const program = [
      'import io, json, sys',
      'from dotenv.main import DotEnv',
      'json.dump([DotEnv(None, stream=io.StringIO(text, newline=None)).dict() for text in json.load(sys.stdin)], sys.stdout)',
    ].join('\n');
    const python = promisify(execFile)(process.platform === 'win32' ? 'python' : 'python3', ['-c', program], {
      env: { ...process.env, ...environment, PYTHONPATH: cli.file, PYTHONIOENCODING: 'utf-8' },
    });
    python.child.stdin?.end(JSON.stringify(TEXTS));
    const expected: unknown = JSON.parse((await python).stdout);
    const read = TEXTS.map((text) => ({ ...parseEnvFile('.env', text, environment) }));
    assert.deepEqual(read, expected);
  });

  for (const line of [
    'bad line here',
    'NAME',
    '=value',
    'two words=1',
    '"A"=1',
    'COLON: yes',
    'export = 1',
    "A='x' y",
    'A="open',
  ]) {
    it(`is refused for the line ${line}, by file and line`, () => {
      assert.throws(
        () => parseEnvFile('/project/.env', `A=1\n# comment\n\n${line}\nB=x\n`, {}),
        (error) => error instanceof EnvFileError && error.message.startsWith('/project/.env:4: '),
      );
    });
  }

  it('has all its invalid lines reported, and the variables between them read', () => {
    const { variables, badLines } = readEnvFile('one\nA="x\ny"\ntwo words\nB=2\n', {});
    assert.deepEqual(variables, { A: 'x\ny', B: '2' });
    assert.deepEqual(
      badLines.map(({ line }) => line),
      [1, 4],
    );
  });

  it('returns each value that was written to it', () => {
    for (const value of ['plain', 'a#b', 'a # b', ' x ', `it's "quoted"`, 'C:\\new', 'a\r\nb\n', '', '=']) {
      assert.equal(readEnvFile(`A=${envValue(value)}\n`, {}).variables.A, value, JSON.stringify(value));
    }
  });
});

describe('values for an env file', () => {
  for (const [how, before, after] of [
    ['where they are listed empty', '# The key.\nA_KEY=\nB=2\n', '# The key.\nA_KEY=x y\nB=2\n'],
    ['in place of empty quotes', 'export A_KEY = ""\r\nB=2\r\n', 'export A_KEY=x y\r\nB=2\r\n'],
    ['at the end otherwise', '# A_KEY=\nMY_A_KEY=\nA_KEY= # none\nB=2', undefined],
    ['in an empty file', '', 'A_KEY=x y\n'],
  ] as const) {
    it(`are written ${how}, and nothing else changes`, () => {
      const text = withValues(before, { A_KEY: 'x y' });
      assert.equal(text.replace('"x y"', 'x y'), after ?? `${before}\nA_KEY=x y\n`);
      const others = readEnvFile(before, {}).variables;
      assert.deepEqual(readEnvFile(text, {}).variables, { ...others, A_KEY: 'x y' });
    });
  }

  it('are not written to variables with a similar name', () => {
    assert.equal(withValues('MY_KEY=\n', { 'MY.KEY': '1' }), 'MY_KEY=\nMY.KEY=1\n');
  });
});
