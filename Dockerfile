# The image brings Node.js itself, so it leaves out the optional dependencies: runtimes for machines without Node.js 24.
# Install scripts do not run either: nothing that the service needs has one.

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Vite has its compiler among the optional dependencies.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.js scripts/build.js
COPY console console
COPY migrations migrations
COPY src src
RUN npm run build && chmod +x dist/src/kernel/cli/plant-store.js

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --omit=dev --omit=optional

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="plant-store" \
  org.opencontainers.image.description="An exact, durable and fast plant store behind a small HTTP contract" \
  org.opencontainers.image.version="1.0.0" \
  org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
# What the service keeps in `data/` belongs to the volume: its database, or with one elsewhere the first access token.
RUN ln -s /app/dist/src/kernel/cli/plant-store.js /usr/local/bin/plant-store && install -d -o node -g node /data /backups && ln -s /data data
# The number of the user node: Kubernetes cannot tell by a name that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 3000
# A busy machine takes seconds to start the check. What waits for a healthy instance gives up at the first unhealthy one.
HEALTHCHECK --interval=5s --timeout=10s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=32", "--no-allocation-site-pretenuring", "--heap-growing-percent=30", "dist/src/main.js"]
