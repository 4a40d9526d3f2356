import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { formatSegment } from '../../src/server/tracing/runs/dotted-order.ts';
import {
  BOUNDARY,
  multipartBody,
  newRun,
  postParts,
  type TestPart,
  type TestRun,
} from '../support/traces.ts';
import { eventually } from '../support/wait.ts';

export const KINDS = ['id', 'metadata', 'age', 'project', 'workspace', 'retention'] as const;
export type Kind = (typeof KINDS)[number];

const PLANTED = 40;
const TRACES = 6;

/** A platform for a round. */
export interface Ground {
  readonly url: () => string;
  /** The key of its owner. */
  readonly key: () => string;
  /**
   * Makes every trace of a workspace, and everything that waits in it, expire, and the server look for expired data.
   */
  expire(workspaceId: string): Promise<void>;
  /** The maintenance that a database does from time to time. */
  maintain?(): Promise<void>;
  /** Where any of the words is stored. */
  remains(words: readonly string[]): Promise<Readonly<Record<string, string[]>>>;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * One purge while spans of all kinds arrive, wait or come late. After it is verified, none of forty planted
 * words is in any response or in storage, and all other data is still there.
 */
export class PurgeRound {
  readonly #ground: Ground;
  readonly #kind: Kind;
  readonly #draw: (below: number) => number;
  readonly #planted: string[] = [];
  readonly #traces: Doomed[] = [];
  #workspace = { id: '', key: '' };
  #next = 0;
  #purgesOnlyStored = false;
  accepted = 0;
  refused = 0;

  constructor(ground: Ground, kind: Kind, draw: (below: number) => number) {
    this.#ground = ground;
    this.#kind = kind;
    this.#draw = draw;
    for (let at = 0; at < PLANTED; at++) this.#planted.push(this.#word());
  }

  /** The words that must be gone. */
  get planted(): readonly string[] {
    return this.#planted;
  }

  async play(): Promise<void> {
    await this.#openWorkspace();
    const kept = [this.#word(), this.#word()];
    await this.#keep(kept);
    for (let at = 0; at < TRACES; at++)
      this.#traces.push(new Doomed(this.#draw, this.#user, `doomed ${this.#user}`));
    for (const trace of this.#traces) await this.#begin(trace);
    const stop = new AbortController();
    const arriving = [this.#arrive(stop.signal), this.#arrive(stop.signal)];
    await delay(200 + this.#draw(600));
    // Data of a trace of which nothing is stored is kept for its own time.
    this.#purgesOnlyStored = this.#kind === 'retention';
    if (this.#purgesOnlyStored) await delay(500);
    const before = Object.values(await this.#ground.remains(this.#planted)).flat();
    assert.ok(
      new Set(before).size > PLANTED / 4,
      `${before.length} planted words are found while they are there`,
    );
    await this.#ground.maintain?.();
    const job = await this.#purge();
    await eventually(
      'the purge ends',
      async () => JSON.parse((await this.#ask(this.#observer(), `/purge/jobs/${job}`)).text),
      ({ status, error }: { status: string; error: string | null }) => {
        assert.notEqual(status, 'failed', error ?? '');
        return status === 'verified';
      },
      180_000,
    );
    stop.abort();
    await Promise.all(arriving);
    for (const trace of this.#traces) await this.#sendLate(trace);
    assert.equal(this.#next >= PLANTED, true, 'every word was planted');
    await this.#look(kept);
  }

  /** The user of all traces of this round, by whom a purge may select; not a planted word, because the audit log has it. */
  get #user(): string {
    return this.#planted[0]?.split('').reverse().join('') ?? '';
  }

  #word(): string {
    return `q${Array.from({ length: 15 }, () => String.fromCharCode(97 + this.#draw(26))).join('')}`;
  }

  #plant(): string {
    return this.#planted[this.#next++ % PLANTED] ?? '';
  }

  async #openWorkspace(): Promise<void> {
    const owner = { key: this.#ground.key(), id: '' };
    const made = await this.#ask(owner, '/workspaces', { display_name: `round ${this.#user}` });
    const { id } = JSON.parse(made.text) as { id: string };
    const { key } = JSON.parse((await this.#ask(owner, '/api-key', { workspaces: [id] })).text) as {
      key: string;
    };
    this.#workspace = { id, key };
  }

  /** The key and workspace that read a purge job. */
  #observer(): { key: string; id: string } {
    return this.#kind === 'workspace' ? { key: this.#ground.key(), id: '' } : this.#workspace;
  }

  /**
   * Stores data that the purge does not concern: another trace, in another workspace where this one is deleted or
   * expires.
   */
  async #keep(words: readonly string[]): Promise<void> {
    const [word = '', late = ''] = words;
    const by = this.#bystander();
    const run = newRun({ name: word, session_name: `kept ${this.#user}` });
    const sent = await this.#parts(by, [
      ...postParts(run, { inputs: { word }, extra: { metadata: { user: `not ${this.#user}` } } }),
    ]);
    assert.equal(sent.status, 202, sent.text);
    const spans = [span({ trace: hexOf(randomUUID()), id: hexOf(randomUUID()).slice(16), name: late })];
    assert.equal((await this.#otlp(by, `kept ${this.#user}`, spans)).text, '{}');
  }

  #bystander(): { key: string; id: string } {
    const isWhole = this.#kind === 'workspace' || this.#kind === 'retention';
    return isWhole ? { key: this.#ground.key(), id: '' } : this.#workspace;
  }

  /** The first span of a trace is stored or waits before the purge is requested. */
  async #begin(trace: Doomed): Promise<void> {
    const isOtlp = trace.at % 2 === 0;
    const first = isOtlp
      ? this.#spanOf(trace, { isRoot: trace.at % 4 === 0 && this.#kind !== 'metadata' })
      : undefined;
    const answer =
      first === undefined
        ? await this.#parts(this.#workspace, this.#rootOf(trace))
        : await this.#otlp(this.#workspace, trace.project, [first]);
    assert.ok(answer.status === 202 || answer.text === '{}', answer.text);
    if (!isOtlp) await this.#feedback({ run_id: trace.root.id, trace_id: trace.root.trace_id });
  }

  /** Sends more of the traces until it is told to stop: spans, updates before their runs, feedback, roots. */
  async #arrive(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const trace = this.#traces[this.#draw(this.#traces.length)];
      if (trace !== undefined && !(this.#purgesOnlyStored && trace.at % 2 === 0))
        this.#count(await this.#sendSome(trace).catch(() => undefined));
      await delay(5 + this.#draw(40));
    }
  }

  async #sendLate(trace: Doomed): Promise<void> {
    for (let times = 0; times < 3; times++) this.#count(await this.#sendSome(trace).catch(() => undefined));
    const root = await this.#otlp(this.#workspace, trace.project, [this.#spanOf(trace, { isRoot: true })]);
    assert.ok(root.status === 401 || root.text.includes('was purged'), root.text);
  }

  #count(answer: Answer | undefined): void {
    if (answer === undefined) return;
    assert.ok(answer.status < 500 || answer.status === 503, answer.text);
    if (answer.status < 300 && !answer.text.includes('partialSuccess')) this.accepted++;
    else this.refused++;
  }

  #sendSome(trace: Doomed): Promise<Answer> {
    const child = trace.child();
    switch (this.#draw(6)) {
      case 0:
        return this.#otlp(this.#workspace, trace.project, [this.#spanOf(trace)]);
      case 1:
        return this.#otlp(this.#workspace, trace.project, [
          this.#spanOf(trace),
          this.#spanOf(trace, { isRoot: true }),
        ]);
      case 2:
        return this.#parts(this.#workspace, [
          ...postParts({ ...child, name: this.#plant(), tags: [this.#plant()] }, this.#payloads()),
          this.#attachment(child, this.#draw(8) === 0 ? 1_200_000 : 10),
        ]);
      case 3: {
        const { id, trace_id, dotted_order, parent_run_id } = child;
        const patch = { id, trace_id, dotted_order, parent_run_id, extra: { metadata: this.#metadata() } };
        return this.#parts(this.#workspace, [
          { name: `patch.${id}`, content: patch },
          { name: `patch.${id}.outputs`, content: { text: this.#plant() } },
        ]);
      }
      case 4: {
        const text = `${this.#plant()} `.repeat(80_000);
        return this.#parts(this.#workspace, postParts(child, { outputs: { text } }));
      }
      default:
        return this.#feedback({ run_id: trace.root.id, trace_id: trace.root.trace_id });
    }
  }

  #rootOf(trace: Doomed): TestPart[] {
    const root = { ...trace.root, name: this.#plant(), tags: [this.#plant()] };
    return [...postParts(root, this.#payloads()), this.#attachment(root, 10)];
  }

  #payloads(): Record<string, unknown> {
    return {
      inputs: { question: this.#plant() },
      outputs: { answer: this.#plant() },
      events: [{ name: this.#plant() }],
      error: this.#plant(),
      extra: { metadata: this.#metadata(), runtime: { sdk: this.#plant() } },
      serialized: { kwargs: this.#plant() },
    };
  }

  #metadata(): Record<string, string> {
    return { user: this.#user, note: this.#plant() };
  }

  #attachment(run: TestRun, length: number): TestPart {
    const content = Buffer.from(`${this.#plant()} `.repeat(Math.ceil(length / 17)));
    return { name: `attachment.${run.id}.${this.#plant()}`, content, contentType: 'text/plain' };
  }

  #spanOf(trace: Doomed, { isRoot = false } = {}): object {
    const attributes = {
      ...{ 'input.value': JSON.stringify({ text: this.#plant() }), 'output.value': this.#plant() },
      ...{ 'langsmith.metadata.user': this.#user, 'custom.note': this.#plant() },
    };
    return span({
      trace: hexOf(trace.root.trace_id),
      id: isRoot ? trace.spanId : hexOf(randomUUID()).slice(16),
      parent: isRoot ? undefined : trace.spanId,
      name: this.#plant(),
      attributes,
      event: this.#plant(),
    });
  }

  /** @returns the id of the job. */
  async #purge(): Promise<string> {
    const { id, key } = this.#workspace;
    const project = async () => {
      const answer = await this.#ask(
        this.#workspace,
        `/sessions?name=${encodeURIComponent(`doomed ${this.#user}`)}`,
      );
      const [session] = JSON.parse(answer.text) as { id: string }[];
      assert.ok(session, 'the project is there');
      return session.id;
    };
    const request = async (body: object) => {
      const answer = await this.#ask(this.#workspace, '/runs/delete', body);
      assert.equal(answer.status, 202, answer.text);
      return (JSON.parse(answer.text) as { job_id: string }).job_id;
    };
    switch (this.#kind) {
      case 'id': {
        const trace_ids = this.#traces.map(({ root }) => root.trace_id);
        return request({ session_id: await project(), trace_ids });
      }
      case 'metadata':
        return request({ metadata: { user: this.#user } });
      case 'age': {
        const session_id = await project();
        return request({ session_id, before: new Date(Date.now() + 60_000).toISOString() });
      }
      case 'project': {
        const deleted = await this.#ask(this.#workspace, `/sessions/${await project()}`, undefined, 'DELETE');
        assert.ok(deleted.status < 300, deleted.text);
        return this.#lastJob('project');
      }
      case 'workspace': {
        const owner = { key: this.#ground.key(), id: '' };
        const deleted = await this.#ask(owner, `/workspaces/${id}`, undefined, 'DELETE');
        assert.equal(deleted.status, 202, deleted.text);
        return (JSON.parse(deleted.text) as { job_id: string }).job_id;
      }
      default:
        assert.ok(key);
        await this.#ground.expire(id);
        return this.#lastJob('expiry');
    }
  }

  #lastJob(kind: string): Promise<string> {
    return eventually(
      'the job is there',
      async () => {
        const answer = await this.#ask(this.#workspace, '/purge/jobs');
        return (JSON.parse(answer.text) as { id: string; kind: string }[]).find((job) => job.kind === kind)
          ?.id;
      },
      Boolean,
      60_000,
    );
  }

  /** Looks for planted words in answers and in what is stored, and for what was kept. */
  async #look(kept: readonly string[]): Promise<void> {
    const answers = await this.#answers();
    for (const [route, { text }] of answers) {
      const found = this.#planted.find((word) => text.includes(word));
      const at = text.indexOf(found ?? '');
      assert.equal(
        found,
        undefined,
        `${this.#kind}: ${route}: ${text.slice(Math.max(0, at - 600), at + 600)}`,
      );
    }
    // Refused payloads have been uploaded meanwhile, and leave the object store within seconds.
    await eventually(
      `nothing is left (${this.#kind})`,
      () => this.#ground.remains(this.#planted),
      (remains) => Object.keys(remains).length === 0,
    );
    const all = answers.map(([, { text }]) => text).join('');
    for (const word of kept) assert.ok(all.includes(word), `${word} is kept`);
  }

  async #answers(): Promise<[string, Answer][]> {
    const answers: [string, Answer][] = [];
    const whose = new Map([this.#observer(), this.#bystander()].map((who) => [who.key, who]));
    for (const who of whose.values()) {
      const get = async (route: string, body?: object) => {
        answers.push([route, await this.#ask(who, route, body)]);
        return answers.at(-1)?.[1].text ?? '';
      };
      const sessions = JSON.parse(await get('/sessions?include_stats=true')) as { id: string }[];
      const session = sessions.map(({ id }) => id);
      await get('/runs/query', { session, limit: 100 });
      await get('/runs/query', { session, limit: 100, is_root: true });
      await get('/runs/stats', { session, group_by: { attribute: 'name' } });
      await get('/feedback?limit=100');
      await get('/purge/jobs?limit=100');
      await get('/purge/audit?limit=100');
      for (const word of [this.#planted[3], this.#planted[17]]) {
        const search = { session, filter: `search("${word}")`, select: ['id', 'name', 'inputs'] };
        const answer = await this.#ask(who, '/runs/query', search);
        // The answer repeats the filter.
        answers.push([
          'search',
          { ...answer, text: answer.text.replace(/"parsed_query":"(?:[^"\\]|\\.)*"/, '') },
        ]);
      }
      for (const { root } of this.#traces) {
        await get(`/runs/${root.id}`);
        await get(`/traces/${root.trace_id}/tree`);
      }
    }
    return answers;
  }

  #feedback(of: { run_id: string; trace_id: string }): Promise<Answer> {
    const body = { ...of, key: 'judged', comment: this.#plant(), correction: { right: this.#plant() } };
    return this.#ask(this.#workspace, '/feedback', body);
  }

  #otlp(who: { key: string; id: string }, project: string, spans: readonly object[]): Promise<Answer> {
    const body = { resourceSpans: [{ scopeSpans: [{ spans }] }] };
    return this.#ask(who, '/otel/v1/traces', body, 'POST', { 'langsmith-project': project });
  }

  async #parts(who: { key: string; id: string }, parts: readonly TestPart[]): Promise<Answer> {
    const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
    return this.#send(who, '/runs/multipart', {
      method: 'POST',
      body: new Uint8Array(multipartBody(parts)),
      headers,
    });
  }

  #ask(
    who: { key: string; id: string },
    route: string,
    body?: object,
    method = body === undefined ? 'GET' : 'POST',
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.#send(who, route, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async #send(who: { key: string; id: string }, route: string, init: RequestInit): Promise<Answer> {
    const response = await fetch(`${this.#ground.url()}${route}`, {
      ...init,
      headers: {
        'x-api-key': who.key,
        ...(who.id === '' ? {} : { 'x-tenant-id': who.id }),
        ...(init.headers as object),
      },
    });
    return { status: response.status, text: await response.text() };
  }
}

let traces = 0;

/** A trace that is purged: it has an id as UUID and in hexadecimal, for spans of both kinds. */
class Doomed {
  readonly at = traces++;
  readonly root: TestRun;
  readonly spanId: string;
  readonly project: string;
  readonly #user: string;

  constructor(draw: (below: number) => number, user: string, project: string) {
    this.project = project;
    this.#user = user;
    this.root = newRun({ session_name: project, at: Date.now() - 1_000 - draw(5_000) });
    this.spanId = hexOf(this.root.trace_id).slice(0, 16);
  }

  child(): TestRun {
    const child = newRun({ parent: this.root, session_name: this.project });
    assert.ok(
      child.dotted_order.includes(formatSegment(Date.parse(this.root.start_time) * 1000, this.root.id)),
    );
    return { ...child, extra: { metadata: { user: this.#user } } };
  }
}

function hexOf(uuid: string): string {
  return uuid.replaceAll('-', '');
}

function span(fields: {
  trace: string;
  id: string;
  parent?: string | undefined;
  name: string;
  attributes?: Record<string, string>;
  event?: string;
}): object {
  const nanos = `${Date.now()}000000`;
  return {
    traceId: fields.trace,
    spanId: fields.id,
    ...(fields.parent === undefined ? {} : { parentSpanId: fields.parent }),
    name: fields.name,
    startTimeUnixNano: nanos,
    endTimeUnixNano: nanos,
    attributes: Object.entries(fields.attributes ?? {}).map(([key, value]) => ({
      key,
      value: { stringValue: value },
    })),
    ...(fields.event === undefined ? {} : { events: [{ name: fields.event, timeUnixNano: nanos }] }),
  };
}
