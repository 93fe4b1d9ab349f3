# One image for all processes; the command selects one, for example apps/dataset-svc/src/main.ts.
# Requires BuildKit. For a private package registry: --secret id=npmrc,src=$HOME/.npmrc
# To pin the base image: --build-arg NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

# With this separate stage, packages are reinstalled only when a manifest changes.
FROM ${NODE_IMAGE} AS manifests
WORKDIR /app
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json -delete && find . -type d -empty -delete

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY --from=manifests /app ./
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --omit=dev --ignore-scripts --no-audit --no-fund --workspace=apps --workspace=tools
# Deletes files that no process loads: types, source maps, documents, browser bundles, binaries for another runtime.
RUN find . -type f '(' -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' \
      -o -iname 'README*' -o -iname 'CHANGELOG*' -o -iname 'HISTORY*' ')' -delete \
    && rm -rf bench e2e package-lock.json node_modules/@esd/testing \
      node_modules/bare-* node_modules/exceljs/dist node_modules/zod/src

FROM ${NODE_IMAGE} AS generated
WORKDIR /app
COPY --from=manifests /app ./
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --ignore-scripts --no-audit --no-fund --workspace=libs/proto
COPY buf.yaml ./
COPY proto proto
COPY libs/proto libs/proto
RUN node libs/proto/generate.mjs

FROM ${NODE_IMAGE} AS pages
WORKDIR /app
COPY --from=manifests /app ./
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --ignore-scripts --no-audit --no-fund --workspace=apps/web
COPY libs/pages libs/pages
COPY libs/record libs/record
COPY apps/web apps/web
RUN node apps/web/bundle.mjs

FROM ${NODE_IMAGE}
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Electrospinning Dataset Service" \
      org.opencontainers.image.description="Moderated, versioned dataset of electrospinning experiments behind an HTTP interface" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.revision="${REVISION}"
WORKDIR /app
ENV NODE_ENV=production ESD_REVISION=${REVISION}
# glibc returns large freed blocks (password hashes, decoded images, files) to the system, and V8 uses a small young generation; see
# libs/dev-stack/src/services.ts.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=4194304 MALLOC_TRIM_THRESHOLD_=1048576 NODE_OPTIONS=--max-semi-space-size=8
# Mount points of volumes. The processes can write nowhere else.
RUN install --directory --owner=10001 --group=10001 --mode=0700 /mail /demo
COPY --from=packages /app ./
COPY --from=generated /app/libs/proto/src/generated libs/proto/src/generated
COPY LICENSE ./
COPY apps apps
COPY --from=pages /app/apps/web/dist apps/web/dist
COPY demo demo
COPY deploy deploy
COPY libs libs
COPY proto proto
COPY tools tools
# The operator's command, see docs/esd-admin.md.
RUN printf '#!/bin/sh\nexec node --disable-warning=ExperimentalWarning /app/tools/admin.ts "$@"\n' >/usr/local/bin/esd-admin \
    && chmod 755 /usr/local/bin/esd-admin
USER 10001:10001
EXPOSE 8080 8081 50051
ENTRYPOINT ["node"]
CMD ["apps/gateway/src/main.ts"]
