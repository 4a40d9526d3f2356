/**
 * Takes the place of VS Code's native log writer (`@vscode/spdlog`) in the VS Code that tests run in. The native one
 * would have to be compiled; without any, log files stay empty, and so do all output channels. It writes the same lines
 * to the same files, but does not rotate them: this VS Code is short-lived.
 */
const fs = require('node:fs');
const path = require('node:path');

const levels = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];

class Logger {
  #file;
  #level = levels.indexOf('info');
  #isPlain = false;

  constructor(_type, _name, file) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    this.#file = fs.openSync(file, 'a');
  }

  trace(message) {
    this.#write(0, message);
  }

  debug(message) {
    this.#write(1, message);
  }

  info(message) {
    this.#write(2, message);
  }

  warn(message) {
    this.#write(3, message);
  }

  error(message) {
    this.#write(4, message);
  }

  critical(message) {
    this.#write(5, message);
  }

  getLevel() {
    return this.#level;
  }

  setLevel(level) {
    this.#level = level;
  }

  /** VS Code only ever sets the pattern that `#write` uses. */
  setPattern() {}

  /** From now on, messages are written as they are, with their own line ends. */
  clearFormatters() {
    this.#isPlain = true;
  }

  /** Nothing is held back. */
  flush() {}

  drop() {
    if (this.#file === undefined) return;
    fs.closeSync(this.#file);
    this.#file = undefined;
  }

  #write(level, message) {
    if (level < this.#level || this.#file === undefined) return;
    const time = new Date().toISOString().replace('T', ' ').replace('Z', '');
    fs.writeSync(this.#file, this.#isPlain ? message : `${time} [${levels[level]}] ${message}\n`);
  }
}

const create = async (name, file) => new Logger('rotating', name, file);

// Exported one by one, so that `import` finds them by name.
exports.version = 11100;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = create;
exports.createAsyncRotatingLogger = create;
