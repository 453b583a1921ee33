import { lazy } from '../../../../kit/cache/lazy.ts'
import type { VendorMcp } from '../../domain/vendor/vendor-mcp.ts'
import type { VendorLimits } from './vendor-mcp.ts'

/** Loads the large MCP library with the first call: most processes never need it. */
export function lazyVendorMcp(limits: VendorLimits): VendorMcp & { close(): Promise<void> } {
  let isLoaded = false
  const load = lazy(async () => {
    isLoaded = true
    const { vendorMcp } = await import('./vendor-mcp.ts')
    return vendorMcp(limits)
  })
  return {
    list: async (...args) => (await load()).list(...args),
    callTool: async (...args) => (await load()).callTool(...args),
    forward: async (...args) => (await load()).forward(...args),
    endSession: async (session) => (isLoaded ? (await load()).endSession(session) : undefined),
    close: async () => (isLoaded ? (await load()).close() : undefined),
  }
}
