import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: { root: new URL('../..', import.meta.url).pathname, include: ['test/helm/*.helm.ts'], testTimeout: 60_000 },
})
