/**
 * The page that the public `langgraph` command links to for the status of a deployment. It only says where to find the
 * status, because browsers do not send a key.
 * @param deploymentId from the URL; shown only if it is a UUID.
 */
export function statusPage(deploymentId: string): string {
  const id = /^[0-9a-f-]{36}$/i.test(deploymentId) ? deploymentId : '&lt;id&gt;';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Agent Harbor: deployment</title>
<style>
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
  body { max-width: 40rem; margin: 4rem auto; padding: 0 1rem; }
</style>
</head>
<body>
<h1>The deployment is on this machine</h1>
<p>In VS Code its status and logs are in the Agent Harbor view, under Deployments.</p>
<p>In a terminal: <code>agent-harbor revisions ${id}</code></p>
</body>
</html>`;
}
