/**
 * The modules of undici that this client uses. undici's entry module is never loaded, because it sets a
 * global dispatcher, which the extension host's `fetch` would use.
 */
declare module 'undici/lib/dispatcher/env-http-proxy-agent.js' {
  import { EnvHttpProxyAgent } from 'undici';
  export = EnvHttpProxyAgent;
}

declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici';

  function request(
    this: Dispatcher,
    options: Dispatcher.RequestOptions & { origin: string },
  ): Promise<Dispatcher.ResponseData>;
  export = request;
}

declare module 'undici/lib/dispatcher/dispatcher.js' {
  import { Dispatcher } from 'undici';
  export = Dispatcher;
}

declare module 'undici/lib/handler/wrap-handler.js' {
  import type { Dispatcher } from 'undici';

  const WrapHandler: { wrap(handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler };
  export = WrapHandler;
}

declare module 'undici/lib/api/api-connect.js' {
  import type { Dispatcher } from 'undici';

  function connect(this: Dispatcher, options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData>;
  export = connect;
}
