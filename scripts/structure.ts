/**
 * Checks that the folders of `src` import only downwards: `npm run structure [-- FOLDER …]`.
 * The rooms of a folder are its subfolders, each with everything in it, and the files beside them. A knot is a group of
 * rooms that can all reach each other by imports (including types); a pair is two rooms that import each other. Prints
 * both for every folder that has any, and for each FOLDER the imports that tie its rooms together.
 * With --check, it only prints problems, and fails if there are any; an import may then also go no higher than
 * `lint/floors.json` allows, which lists the folders of each area from the lowest floor to the highest. --root=PATH reads
 * another copy of the sources.
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';

interface Import {
  readonly from: string;
  readonly to: string;
}

interface Folder {
  readonly folder: string;
  readonly rooms: readonly string[];
  readonly knots: readonly (readonly string[])[];
  readonly pairs: readonly (readonly [string, string])[];
}

/** The floors of each area, the lowest first; each is a list of folders. */
const Floors = z.record(z.string(), z.array(z.array(z.string())));

/** The areas for which sums are printed; all other folders share one line. */
const AREAS = ['src/server/agent-server', 'src/server/tracing', 'src/server/control-plane', 'src/extension'];

const SPECIFIER = /(?:\bfrom\s+|\bimport\s*\(?\s*)(['"])(\.{1,2}\/[^'"\n]+)\1/g;
/** Python's relative imports: the dots, the module, and the first name of `from .folder import module`. */
const PYTHON_IMPORT = /^\s*from (\.+)([\w.]*) import \(?\s*(\w+)/gm;

const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean' }, root: { type: 'string' } },
  allowPositionals: true,
});
const root = path.resolve(values.root ?? path.join(import.meta.dirname, '..'));
const floors = Floors.parse(JSON.parse(readFileSync(path.join(root, 'lint/floors.json'), 'utf8')));
const files = globSync('src/**/*.{ts,tsx,py}', { cwd: root }).map((file) => file.replaceAll(path.sep, '/'));
const imports = readImports();
const tied = foldersOf()
  .map(lookInto)
  .filter(({ knots }) => knots.length > 0);

if (values.check) check();
else print();

function readImports(): Import[] {
  const known = new Set(files);
  return files.flatMap((from) => {
    const text = readFileSync(path.join(root, from), 'utf8');
    return (from.endsWith('.py') ? pythonModules(text) : typeScriptModules(text))
      .map((module) => ({ from, to: path.posix.join(path.posix.dirname(from), module) }))
      .filter(({ to }) => known.has(to));
  });
}

function typeScriptModules(text: string): string[] {
  return [...text.matchAll(SPECIFIER)].map(([, , specifier = '']) => specifier);
}

/** The paths that the imports of a module may mean; those that exist are meant. */
function pythonModules(text: string): string[] {
  return [...text.matchAll(PYTHON_IMPORT)].flatMap(([, dots = '.', module = '', name = '']) => {
    const folder = ['.', ...Array.from(dots.slice(1), () => '..'), ...module.split('.')].join('/');
    return [`${folder}.py`, `${folder}/${name}.py`];
  });
}

function foldersOf(): string[] {
  const above = (file: string): string[] => {
    const folder = path.posix.dirname(file);
    return folder === '.' ? [] : [folder, ...above(folder)];
  };
  return [...new Set(files.flatMap(above))].toSorted();
}

function lookInto(folder: string): Folder {
  const rooms = [...new Set(files.flatMap((file) => roomOf(file, folder) ?? []))].toSorted();
  const next = new Map(rooms.map((room) => [room, new Set<string>()]));
  for (const { from, to } of importsBetweenRooms(folder)) next.get(from)?.add(to);
  const reached = new Map(rooms.map((room) => [room, reachedFrom(room, next)]));
  const left = new Set(rooms);
  const knots = rooms.flatMap((room) => {
    if (!left.has(room)) return [];
    const knot = rooms.filter((other) => reached.get(room)?.has(other) && reached.get(other)?.has(room));
    for (const one of knot) left.delete(one);
    return knot.length > 1 ? [knot] : [];
  });
  const pairs = rooms.flatMap((one) =>
    [...(next.get(one) ?? [])]
      .filter((other) => one < other && next.get(other)?.has(one))
      .map((other): [string, string] => [one, other]),
  );
  return { folder, rooms, knots, pairs };
}

/** The room of a folder that a file is in, undefined for a file outside. */
function roomOf(file: string, folder: string): string | undefined {
  return file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).split('/')[0] : undefined;
}

function importsBetweenRooms(folder: string): Import[] {
  return imports.flatMap((one) => {
    const [from, to] = [roomOf(one.from, folder), roomOf(one.to, folder)];
    return from === undefined || to === undefined || from === to ? [] : [{ from, to }];
  });
}

function reachedFrom(room: string, next: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set(next.get(room));
  for (const one of reached) for (const further of next.get(one) ?? []) reached.add(further);
  return reached;
}

function check(): void {
  const problems = [
    ...tied.map(({ folder, knots }) => {
      const knot = knots.map((rooms) => rooms.join(', ')).join('; ');
      return `Rooms of ${folder} reach each other: ${knot}. \`npm run structure -- ${folder}\` says by which imports; move the file or the type to the room below.`;
    }),
    ...Object.entries(floors).flatMap(([area, list]) => problemsOfFloors(area, list)),
  ];
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

/**
 * Folders of an area that are on no floor, floors of folders that no longer exist, and imports that do not
 * lead to a lower floor.
 */
function problemsOfFloors(area: string, list: readonly (readonly string[])[]): string[] {
  const floorOf = new Map(
    list.flatMap((folders, floor) => folders.map((folder) => [folder, floor] as const)),
  );
  const folders = new Set(
    files.flatMap((file) =>
      file.startsWith(`${area}/`)
        ? (file
            .slice(area.length + 1)
            .split('/')
            .slice(0, -1)[0] ?? [])
        : [],
    ),
  );
  const unlisted = [...folders].filter((folder) => !floorOf.has(folder));
  const gone = [...floorOf.keys()].filter((folder) => !folders.has(folder));
  const upward = importsBetweenRooms(area).filter(({ from, to }) => {
    const [above, below] = [floorOf.get(from), floorOf.get(to)];
    return above !== undefined && below !== undefined && below >= above;
  });
  return [
    ...unlisted.map(
      (folder) => `lint/floors.json does not say on which floor of ${area} the folder ${folder} is.`,
    ),
    ...gone.map((folder) => `lint/floors.json has a floor for ${area}/${folder}, which does not exist.`),
    ...new Set(
      upward.map(
        ({ from, to }) =>
          `${area}/${from} imports ${area}/${to}, which lint/floors.json has no lower: move what it needs to a floor below both.`,
      ),
    ),
  ];
}

function print(): void {
  for (const area of [...AREAS, undefined]) {
    const inside = tied.filter(({ folder }) => areaOf(folder) === area);
    const pairs = inside.reduce((sum, one) => sum + one.pairs.length, 0);
    const sizes = inside.flatMap(({ knots }) => knots.map((knot) => knot.length));
    console.log(
      `${area ?? 'everything else'}: ${sizes.length === 0 ? 'no knots' : `knots of ${sizes.join(', ')}`}, ${pairs} pairs`,
    );
    inside.forEach(printFolder);
  }
  for (const folder of positionals) printImports(folder.replace(/\/$/, ''));
}

function areaOf(folder: string): string | undefined {
  return AREAS.find((area) => folder === area || folder.startsWith(`${area}/`));
}

function printFolder({ folder, rooms, knots, pairs }: Folder): void {
  console.log(`  ${folder}, ${rooms.length} rooms`);
  for (const knot of knots) console.log(`    knot of ${knot.length}: ${knot.join(', ')}`);
  for (const [one, other] of pairs) console.log(`    pair: ${one} ↔ ${other}`);
}

function printImports(name: string): void {
  const knots = tied.find(({ folder }) => folder === name)?.knots ?? [];
  console.log(`\n${name}: ${knots.length === 0 ? 'nothing ties its rooms together' : 'tied by'}`);
  const within = (file: string) => file.slice(name.length + 1);
  for (const knot of knots) {
    for (const one of knot) {
      for (const other of knot.filter((room) => room !== one)) {
        const between = imports.filter(
          ({ from, to }) => roomOf(from, name) === one && roomOf(to, name) === other,
        );
        if (between.length === 0) continue;
        console.log(`  ${one} → ${other}`);
        for (const { from, to } of between) console.log(`    ${within(from)} → ${within(to)}`);
      }
    }
  }
}
