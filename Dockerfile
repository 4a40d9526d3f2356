# The server of a team (docs/team-server.md), without an agent: that is mounted at /app, or copied there by an image of
# yours that begins with FROM agent-harbor. After npm ci and npm run build:
#   docker build --file Dockerfile --tag agent-harbor dist
ARG BASE=node:24-bookworm-slim
FROM ${BASE}

# For graphs in Python.
RUN command -v python3 > /dev/null || \
  (apt-get update && apt-get install --yes --no-install-recommends python3 python3-venv && rm -rf /var/lib/apt/lists/*)

# The server is user 1000, and graphs are user 1001: they may write beside their code, and cannot read /data.
RUN mkdir -p /opt/agent-harbor /app /data /home/agent && \
  chown 1000:1001 /app /home/agent && chmod 3775 /app /home/agent && \
  chown 1000:1000 /data && chmod 700 /data && \
  echo '{"type":"module"}' > /opt/agent-harbor/package.json
COPY server*.js runtime-node*.js runtime-node*.cjs traces-worker.js traces-link.js build-guard.js /opt/agent-harbor/
COPY runtime-python /opt/agent-harbor/runtime-python

WORKDIR /app
ENV HOME=/home/agent NODE_ENV=production PYTHONUNBUFFERED=1 AGENT_HARBOR_TRACING=cloud
# Started as root, the server becomes the first and starts graphs as the second; it keeps the rights for that alone.
# Started as another user (--user 1000:1000, runAsUser), all is that user.
ENV AGENT_HARBOR_USER=1000 AGENT_HARBOR_GRAPH_USER=1001
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8000) + '/ok').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/opt/agent-harbor/server.js", "--data-dir", "/data", "--agent", "/app/langgraph.json"]
CMD []
