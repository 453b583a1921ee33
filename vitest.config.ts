import { defineConfig } from 'vitest/config'
import { asBuilt, builtFiles } from './test/support/processes/as-built.ts'

export default defineConfig({
  // Tests import the sources of packages, not their last build.
  resolve: { alias: { '@causeway/client': new URL('packages/client/src/client.ts', import.meta.url).pathname } },
  plugins: await asBuilt(),
  test: {
    server: { deps: { external: builtFiles } },
    globalSetup: ['test/support/processes/set-up-of-run.ts'],
    include: ['test/**/*.test.ts'],
    // Real servers and browsers are slow on a busy machine: at a load of twenty, tests took up to 70 s.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    // More workers than cores: tests spend half of their time waiting for servers and leases. Each worker also has to warm
    // up the same code: six workers took a sixth more CPU than three.
    maxWorkers: 4,
    // Loads the programs once per worker instead of once per file, which saves a fifth of the CPU. A file must not leave
    // anything behind in its process.
    isolate: false,
  },
})
