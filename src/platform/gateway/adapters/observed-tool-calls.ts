import type { Metrics } from '../../../kit/process/metrics.ts'
import type { ToolResult } from '../domain/mcp.ts'

type OpenTool = { integration: { id: string } }

type CallTool<Open extends OpenTool, Rest extends unknown[]> = (open: Open, ...rest: Rest) => Promise<ToolResult>

/** The same calls of tools, counted by integration and by what became of them. */
export function observedToolCalls<Open extends OpenTool, Rest extends unknown[]>(
  call: CallTool<Open, Rest>,
  metrics: Metrics,
): CallTool<Open, Rest> {
  const help = 'Calls of tools of functions, by integration and what became of them.'
  const calls = metrics.counter('tool_calls_total', help, ['integration', 'outcome'])
  const seconds = metrics.histogram('tool_call_seconds', 'Time of calls of tools of functions.', [])
  return async (open, ...rest) => {
    const startedAt = performance.now()
    const end = (outcome: string) => {
      calls.inc({ integration: open.integration.id, outcome })
      seconds.observe({}, (performance.now() - startedAt) / 1_000)
    }
    try {
      const result = await call(open, ...rest)
      end(result.code ?? (result.isError ? 'failed' : 'done'))
      return result
    } catch (error) {
      end('crashed')
      throw error
    }
  }
}
