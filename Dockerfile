# One image for both programs: `docker run … causeway onboarding` (the default) or `… platform`; and for a provider that
# tests of tenants use, `… demo/misbehave`.

FROM node:26.10.0-slim AS base
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The lock file covers the workspaces; nothing of theirs is in the image.
COPY packages/client/package.json packages/client/
COPY packages/connect/package.json packages/connect/
COPY packages/cli/package.json packages/cli/

FROM base AS build
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npx tsc -p tsconfig.build.json --incremental false --tsBuildInfoFile null

# Optional packages are the embedded PostgreSQL: in a container the database is another one's job.
FROM base AS dependencies
RUN npm ci --omit=dev --omit=optional

FROM node:26.10.0-slim
# Confines the commands that the platform runs for tenants.
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY catalogue catalogue
COPY views views
COPY public public
COPY messages messages
# What has to outlive the platform's containers; compose.yaml mounts a volume here.
RUN mkdir data && chown node data
ENV DATA_FOLDER=/app/data
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The shell becomes the program, so the program gets the signals; $0 is the argument.
ENTRYPOINT ["sh", "-c", "exec node \"dist/$0/main.js\""]
CMD ["onboarding"]
