# The server of a team. After npm ci and npm run build:
#   docker build --file Dockerfile --tag agent-harbor dist
# makes one of an agent (docs/team-server.md): that is mounted at /app, or copied there by an image of yours that begins
# with FROM agent-harbor. And
#   docker build --file Dockerfile --target platform --tag agent-harbor-platform dist
# makes one of a platform to deploy to (docs/platform.md).
ARG BASE=node:24-bookworm-slim
FROM ${BASE} AS server

# For graphs in Python.
RUN command -v python3 > /dev/null || \
  (apt-get update && apt-get install --yes --no-install-recommends python3 python3-venv && rm -rf /var/lib/apt/lists/*)

RUN mkdir -p /opt/agent-harbor /data && chmod 700 /data && \
  echo '{"type":"module"}' > /opt/agent-harbor/package.json
COPY server*.js runtime-node*.js runtime-node*.cjs traces-worker.js traces-link.js build-guard.js /opt/agent-harbor/
COPY runtime-python /opt/agent-harbor/runtime-python

ENV PYTHONUNBUFFERED=1
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8000) + '/ok').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]

# Builds need git, and run, with graphs, as the user of the server. Started as root, it becomes user 10001 once it has read
# its secrets, and keeps no rights.
FROM server AS platform
RUN command -v git > /dev/null || \
  (apt-get update && apt-get install --yes --no-install-recommends ca-certificates git openssh-client && \
  rm -rf /var/lib/apt/lists/*)
RUN useradd --uid 10001 --home-dir /data/home --shell /usr/sbin/nologin agent && \
  mkdir /objects && chown 10001:10001 /data /objects
ENV AGENT_HARBOR_USER=10001 HOME=/data/home
VOLUME /data
ENTRYPOINT ["node", "/opt/agent-harbor/server.js", "--data-dir", "/data/server", "--team"]
CMD []

FROM server AS agent
# The server is user 1000, and graphs are user 1001: they may write beside their code, and cannot read /data.
RUN mkdir -p /app /home/agent && chown 1000:1001 /app /home/agent && chmod 3775 /app /home/agent && \
  chown 1000:1000 /data
WORKDIR /app
# Started as root, the server becomes the first and starts graphs as the second; it keeps the rights for that alone.
# Started as another user (--user 1000:1000, runAsUser), all is that user.
ENV HOME=/home/agent NODE_ENV=production AGENT_HARBOR_TRACING=cloud AGENT_HARBOR_USER=1000 AGENT_HARBOR_GRAPH_USER=1001
VOLUME /data
ENTRYPOINT ["node", "/opt/agent-harbor/server.js", "--data-dir", "/data", "--agent", "/app/langgraph.json"]
CMD []
