import { defineConfig } from 'vitest/config'

// Tests that start nothing: no store, no server, no process. `npm test` runs them, too.
export default defineConfig({
  test: {
    include: [
      'test/architecture/**/*.test.ts',
      'test/contract/headers.test.ts',
      'test/documentation/every-snippet.test.ts',
      'test/kit/{csv,markdown,messages,metrics,openapi,read-csv,repeat,retry-after,run-idempotent,sealed-box,shared-load,sql,stall-proof-timeout,tracing,ttl-cache,visitor}.test.ts',
      'test/onboarding/domain/**/*.test.ts',
      'test/onboarding/*/flows/*.test.ts',
      'test/onboarding/flows/run-idempotent.test.ts',
      'test/onboarding/http/cause-words.test.ts',
      'test/onboarding/linking/http/{browser-cookies,picker-words}.test.ts',
      'test/onboarding/integrations/mcp-profile.test.ts',
      'test/onboarding/ledger-contract/memory.test.ts',
      'test/onboarding/provisioning/*.test.ts',
      'test/platform/control-plane/search-plan.test.ts',
      'test/platform/gateway/{image-reference,integrations,model-api,request-body,tool-content,tool-request,tool-wire}.test.ts',
      'test/platform/identity/command-options.test.ts',
      'test/platform/shared/{cron,operation-table}.test.ts',
    ],
    // None of them waits for anything; on a busy machine the longest searches take a while.
    testTimeout: 30_000,
    pool: 'forks',
    maxWorkers: 2,
    isolate: false,
  },
})
