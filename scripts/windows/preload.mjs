// For Node under Wine, in NODE_OPTIONS: provides what Wine lacks, and Ctrl-C for a single process.
// - Wine's CreateSymbolicLink does nothing and junctions are not supported: the helper outside Wine makes links.
// - Node cannot send Ctrl-C on Windows: kill('SIGINT') reaches a Node process through a pipe of its own. SIGTERM stays TerminateProcess.
import child_process from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

if (process.platform === 'win32' && !process.execArgv.includes('--check')) {
  const git = 'C:\\Program Files\\Git\\cmd\\git.exe';
  const { execFileSync } = child_process;
  const make = (target, link) => {
    if (fs.existsSync(link))
      throw Object.assign(new Error(`EEXIST: file already exists, symlink '${target}' -> '${link}'`), {
        code: 'EEXIST',
        syscall: 'symlink',
      });
    execFileSync(git, ['!ln', String(target), path.resolve(String(link))], { stdio: 'ignore' });
  };
  fs.symlinkSync = make;
  fs.promises.symlink = async (target, link) => make(target, link);
  fs.symlink = (target, link, type, done = type) => {
    try {
      make(target, link);
    } catch (error) {
      return done(error);
    }
    done(null);
  };
  // Wine mistakes such a link for its target, which must not be emptied when a folder is removed.
  const unlink = (file, options) => {
    const whole = path.resolve(file instanceof URL ? fileURLToPath(file) : String(file));
    if (options?.recursive === true && fs.existsSync(whole))
      execFileSync(git, ['!unlink', whole], { stdio: 'ignore' });
  };
  const { rm, rmSync } = fs;
  const removing = fs.promises.rm;
  fs.rmSync = (file, options) => {
    unlink(file, options);
    return rmSync(file, options);
  };
  fs.promises.rm = async (file, options) => {
    unlink(file, options);
    return removing(file, options);
  };
  fs.rm = (file, options, done) => {
    if (typeof options !== 'function') unlink(file, options);
    return rm(file, options, done);
  };
  const pipeOf = (pid) => `\\\\.\\pipe\\agent-harbor-test-signals-${pid}`;
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (text) => process.emit(String(text).trim(), String(text).trim()) || process.exit(130));
  });
  server.on('error', () => {});
  server.listen(pipeOf(process.pid)).unref();
  const send = (pid, signal, otherwise) => {
    const socket = net.connect(pipeOf(pid), () => socket.end(signal));
    socket.on('error', otherwise);
    socket.unref();
    return true;
  };
  const { kill } = child_process.ChildProcess.prototype;
  child_process.ChildProcess.prototype.kill = function (signal) {
    return signal === 'SIGINT' && this.pid !== undefined && this.exitCode === null
      ? send(this.pid, signal, () => kill.call(this, signal))
      : kill.call(this, signal);
  };
  const killProcess = process.kill.bind(process);
  process.kill = (pid, signal) =>
    signal === 'SIGINT' ? send(pid, signal, () => killProcess(pid, signal)) : killProcess(pid, signal);
  syncBuiltinESMExports();
}
