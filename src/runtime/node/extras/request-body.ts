import { isRecord } from '../langgraph-types.ts';

/** The request object of Hono's handlers. */
export interface AppRequest {
  /** The request itself, which middleware may replace. */
  readonly raw: Request;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** For each request, the value that `json()` returned to middleware, and its JSON text at that time. */
const parsed = new WeakMap<object, { readonly value: unknown; readonly text: string }>();
/** Prototypes of requests whose `json()` has been replaced. */
const sharing = new WeakSet<object>();

/**
 * Makes `json()` of an app's requests return the same object to each caller, as early versions of Hono do, so
 * that the next handler sees changes made by middleware.
 */
export async function shareParsedBodies(app: object): Promise<void> {
  const prototype = await requestPrototype(app);
  if (prototype === undefined || sharing.has(prototype)) return;
  sharing.add(prototype);
  const read: unknown = Reflect.get(prototype, 'json');
  if (typeof read !== 'function') return;
  Reflect.set(prototype, 'json', async function (this: object): Promise<unknown> {
    const known = parsed.get(this);
    if (known !== undefined) return known.value;
    const value: unknown = await read.call(this);
    parsed.set(this, { value, text: JSON.stringify(value) });
    return value;
  });
}

/**
 * The body of a request after the middleware of the app, which may have changed it.
 * @param sent the original body, in case middleware has read it from the request
 */
export async function bodyAfterMiddleware(
  request: AppRequest,
  sent: Buffer | null,
): Promise<RequestInit['body']> {
  const { raw } = request;
  const known = parsed.get(request);
  const text = known === undefined ? undefined : JSON.stringify(known.value);
  if (text !== undefined && text !== known?.text) return text;
  if (!raw.bodyUsed) return raw.body;
  try {
    return await request.arrayBuffer();
  } catch {
    // Middleware has read the body from the raw request, so Hono has not cached it.
    return sent === null ? null : new Uint8Array(sent);
  }
}

/**
 * Finds the prototype of Hono's requests with another app of the same class, because a request to the
 * project's app would run its middleware.
 */
async function requestPrototype(app: object): Promise<object | undefined> {
  try {
    const probe: unknown = Reflect.construct(app.constructor, []);
    let found: object | undefined;
    if (!isRecord(probe) || typeof probe.all !== 'function' || typeof probe.fetch !== 'function') return;
    probe.all('*', (context: { req: object; body(data: null): unknown }) => {
      found = Object.getPrototypeOf(context.req);
      return context.body(null);
    });
    await probe.fetch(new Request('http://localhost/'));
    return found;
  } catch {
    // The app's class may need arguments, for example.
    return undefined;
  }
}
