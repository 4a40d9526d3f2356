import { z } from 'zod';
import type { Endpoint, RequiredRight } from '../../contract/endpoint.ts';
import { escapeHtml } from './escape-html.ts';

/** The endpoints as an HTML page, without scripts or external resources. */
export function docsPage(title: string, endpoints: readonly Endpoint[]): string {
  const sections = Map.groupBy(endpoints, (endpoint) => endpoint.path.split('/')[1] ?? '');
  const body = [...sections].map(([name, members]) => section(name, members)).join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
  body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  h2 { margin-top: 2.5rem; text-transform: capitalize; }
  details { border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: 6px; margin: .5rem 0; }
  summary { cursor: pointer; padding: .5rem .75rem; }
  summary code { font-weight: 600; }
  .method { display: inline-block; min-width: 4rem; font: 600 .8rem ui-monospace, monospace; }
  .what { opacity: .75; }
  .inside { padding: 0 .75rem .75rem; }
  pre { overflow: auto; max-height: 24rem; padding: .75rem; border-radius: 6px; font-size: .8rem;
        background: color-mix(in srgb, currentColor 7%, transparent); }
</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
<p>Also available as an OpenAPI 3.1 document: <a href="openapi.json">openapi.json</a>.</p>
${body}
</body>
</html>`;
}

function section(name: string, endpoints: readonly Endpoint[]): string {
  return `<h2>${escapeHtml(name)}</h2>\n${endpoints.map(entry).join('\n')}`;
}

function entry(endpoint: Endpoint): string {
  const parts = [
    endpoint.credentials.startsWith('api-key') && 'right' in endpoint
      ? `<p>Requires ${keyWith(endpoint.right)}.</p>`
      : '',
    block('Query', endpoint.query, 'input'),
    'body' in endpoint && endpoint.body !== undefined ? block('Body', endpoint.body, 'input') : '',
    endpoint.kind === 'multipart' ? `<h4>Parts</h4><p>${escapeHtml(endpoint.parts)}</p>` : '',
    endpoint.kind === 'event-stream' ? '<p>Returns server-sent events.</p>' : '',
    'responses' in endpoint
      ? Object.entries(endpoint.responses)
          .map(([status, schema]) =>
            schema === null ? `<h4>${status}</h4><p>Empty.</p>` : block(status, schema, 'output'),
          )
          .join('')
      : '',
  ];
  return `<details><summary><span class="method">${endpoint.method}</span> <code>${escapeHtml(endpoint.path)}</code> <span class="what">${escapeHtml(endpoint.summary)}</span></summary><div class="inside">${parts.join('')}</div></details>`;
}

function block(heading: string, schema: z.ZodType | undefined, io: 'input' | 'output'): string {
  if (schema === undefined) return '';
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return `<h4>${escapeHtml(heading)}</h4><pre>${escapeHtml(JSON.stringify(json, null, 2))}</pre>`;
}

function keyWith(right: RequiredRight): string {
  if (right === 'owner') return "the owner's API key";
  return right === 'any' ? 'an API key' : `an API key with the right ${right}`;
}
