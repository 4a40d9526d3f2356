import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { Terminal } from '../../../src/cli/terminal/terminal.ts';

/** A terminal with colors whose output a test reads. */
function terminal(environment: NodeJS.ProcessEnv = { FORCE_COLOR: '1' }) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const made = new Terminal({ stdout, stderr, environment });
  const read = () => [String(stdout.read() ?? ''), String(stderr.read() ?? '')];
  return Object.assign(made, { read });
}

const RED = '\u001b[31m';
const HOSTILE = `a${RED}b\u001b]0;title\u0007\u009b2Jc\u202ed\b`;

describe('a text in the terminal', () => {
  it('keeps lines, tabs and every script', () => {
    const screen = terminal();
    screen.line('a\tb\nчё 漢字 🚢 שלום\u200f');
    assert.deepEqual(screen.read(), ['a\tb\nчё 漢字 🚢 שלום\u200f\n', '']);
  });

  it('has no colors, commands or directions but those of the command', () => {
    const screen = terminal();
    const { red, bold } = screen.colors;
    screen.line(`${bold(`x ${red(HOSTILE)} y`)} ${HOSTILE}`);
    screen.write(HOSTILE);
    screen.note(screen.errorColors.dim(HOSTILE));
    screen.failure(HOSTILE);
    const [output, errors] = screen.read();
    const clean = 'abc\ufffdd';
    assert.equal(output, `\u001b[1mx ${RED}${clean}\u001b[39m y\u001b[22m ${clean}\n${clean}\n`);
    assert.equal(errors, `\u001b[2m${clean}\u001b[22m\n${RED}error:\u001b[39m ${clean}\n`);
  });

  it('has none of these without colors either', () => {
    const screen = terminal({ NO_COLOR: '1' });
    screen.line(screen.colors.red(HOSTILE));
    assert.deepEqual(screen.read(), ['abc\ufffdd\n', '']);
  });
});

describe('a value in JSON', () => {
  it('is unchanged for programs, and only text in a terminal', () => {
    const screen = terminal();
    screen.json({ [HOSTILE]: HOSTILE });
    const [line = ''] = screen.read();
    assert.deepEqual(JSON.parse(line), { [HOSTILE]: HOSTILE });
    assert.match(line, /^[\u0020-\u007e]+\n$/);
  });
});
