// Runs outside Wine as long as something runs in it. It provides git for git.exe, and creates links, which
// Wine cannot. node helper.mjs ROOT PORT: ROOT is the folder of the chroot; drive Z: is that folder, drive C:
// is in Wine's prefix.
import { spawn } from 'node:child_process';
import { lstatSync, readdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { createServer } from 'node:net';

/** The variable that names the repository's folder outside of Wine, where it is `Z:\\repo`. */
const REPO = 'AGENT_HARBOR_WINE_REPO=';

const [root, port] = process.argv.slice(2);
process.on('uncaughtException', (error) => console.error(error));

createServer((socket) => {
  let held = Buffer.alloc(0);
  let child;
  socket.on('error', () => child?.kill());
  socket.on('close', () => child?.kill());
  socket.on('data', (chunk) => {
    if (child !== undefined) return;
    held = Buffer.concat([held, chunk]);
    if (held.length < 4 || held.length < 4 + held.readUInt32BE(0)) return;
    child = answer(socket, JSON.parse(held.subarray(4, 4 + held.readUInt32BE(0)).toString()));
  });
}).listen(Number(port), '127.0.0.1');

function answer(socket, { args, cwd, env }) {
  const places = placesOf(env);
  const send = (kind, body) => {
    if (socket.destroyed) return;
    const head = Buffer.alloc(5);
    head[0] = kind;
    head.writeUInt32BE(typeof body === 'number' ? body : body.length, 1);
    socket.write(head);
    if (typeof body !== 'number') socket.write(body);
  };
  if (args[0] === '!ln') {
    const [, target, link] = args;
    let code = 0;
    try {
      symlinkSync(
        isPath(target) ? places.inChroot(target) : target.replaceAll('\\', '/'),
        places.inside(link),
      );
    } catch (error) {
      send(2, Buffer.from(`${error.message}\n`));
      code = 1;
    }
    send(0, code);
    socket.end();
    return { kill() {} };
  }
  if (args[0] === '!unlink') {
    unlinkBelow(places.inside(args[1]));
    send(0, 0);
    socket.end();
    return { kill() {} };
  }
  const given = env
    .filter((entry) => /^(?:GIT_|LC_|LANG|AGENT_HARBOR_)/.test(entry))
    .map((entry) => [
      entry.slice(0, entry.indexOf('=')),
      places.argument(entry.slice(entry.indexOf('=') + 1)),
    ]);
  // The settings of Git for Windows without developer mode.
  const settings = ['-c', 'core.symlinks=false', '-c', 'core.filemode=false'];
  const child = spawn('git', [...settings, ...args.map(places.argument)], {
    cwd: places.inside(cwd),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...Object.fromEntries(given) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const namesPaths = /rev-parse|worktree|--git-dir|--show-toplevel/.test(args.join(' '));
  child.stdout.on('data', (bytes) => send(1, places.back(bytes, namesPaths)));
  child.stderr.on('data', (bytes) => send(2, bytes));
  child.on('error', (error) => send(2, Buffer.from(`${error.message}\n`)));
  child.on('close', (code) => {
    send(0, code === null || code < 0 ? 128 : code);
    socket.end();
  });
  return child;
}

/** Wine mistakes links for their targets: removing a folder would remove those too. */
function unlinkBelow(file) {
  const info = lstatSync(file, { throwIfNoEntry: false });
  if (info?.isSymbolicLink()) unlinkSync(file);
  else if (info?.isDirectory()) for (const name of readdirSync(file)) unlinkBelow(`${file}/${name}`);
}

function isPath(text) {
  return /^(?:\\\\\?\\)?[a-z]:[\\/]/i.test(text);
}

function placesOf(env) {
  const config = env.find((entry) => entry.startsWith('WINECONFIGDIR='))?.replaceAll('\\', '/') ?? '';
  const drive = `${root}${/(\/root\/.*)$/.exec(config)?.[1] ?? '/root/prefix'}/drive_c`;
  // Mounted only where Wine runs. A build's own environment lacks the variable, but a build is never in the repository.
  const repo = env.find((entry) => entry.startsWith(REPO))?.slice(REPO.length) ?? `${root}/repo`;
  /** A Windows path as a program in the chroot writes it. */
  const inChroot = (file) =>
    file
      .replaceAll('\\', '/')
      .replace(/^(?:\/\/\?\/)?z:/i, '')
      .replace(/^(?:\/\/\?\/)?c:/i, drive.slice(root.length));
  const inside = (file) => {
    if (!isPath(file)) return file.replaceAll('\\', '/');
    const name = inChroot(file);
    return /^\/repo(?:\/|$)/i.test(name) ? repo + name.slice('/repo'.length) : root + name;
  };
  const argument = (text) => {
    if (isPath(text)) return inside(text);
    if (/^file:\/\/\/[a-z]:/i.test(text)) return `file://${inside(text.slice(8))}`;
    if (/^(?:\\\\\.\\nul|nul)$/i.test(text)) return '/dev/null';
    const [, name, value] = /^(-{0,2}[\w.-]+=)(.+)$/.exec(text) ?? [];
    return value === undefined ? text : name + argument(value);
  };
  const back = (bytes, namesPaths) => {
    const text = bytes.toString('latin1').replaceAll(Buffer.from(drive).toString('latin1'), 'C:');
    return Buffer.from(namesPaths ? text.replaceAll(repo, 'Z:/repo').replaceAll(root, 'Z:') : text, 'latin1');
  };
  return { inChroot, inside, argument, back };
}
