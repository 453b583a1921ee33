import { DependencyError } from '../../domain/dependency-error.ts'
import { judgeTry, type ToolTry } from '../../domain/health/health.ts'
import type { Integration } from '../../domain/integration.ts'
import type { Link } from '../../domain/link.ts'
import type { Platform, Provisioning } from '../../domain/ports/platform.ts'

/**
 * Lists the tools of a function. One that the platform could not start does not start by itself once the reason is gone:
 * it has to be put again. That is done here, before the next attempt, so that both a retried and a resumed link get
 * past it. The error carries what the platform says about the function.
 */
export async function verifyFunction(
  { platform }: { platform: Platform },
  { attempts }: Pick<Link, 'attempts'>,
  at: Provisioning & { functionUrl: string },
): Promise<void> {
  try {
    await platform.verifyFunction(at)
  } catch (error) {
    if (!(error instanceof DependencyError) || error.cause !== 'function_failed') throw error
    const state = await platform.restartFunction(at, { isDue: attempts % triesPerRestart === 0 })
    throw new DependencyError('function_failed', { retry: error.retry, detail: state.message ?? error.detail })
  }
}

/** Each restart is an event of the function, and the platform keeps only a few of them. */
const triesPerRestart = 3

type Needs = { platform: Platform }
type HealthRule = Pick<Integration, 'health'>

/** Calls the tool that the integration is tested with, which uses the grant. Returns undefined if it names none. */
export async function tryHealthTool(
  { platform }: Needs,
  { health }: HealthRule,
  url: string,
): Promise<ToolTry | undefined> {
  if (health.tool === undefined) return undefined
  return platform.tryTool(url, { name: health.tool, arguments: health.arguments ?? {} })
}

/** Listing tools does not use the grant: only a call shows whether the app accepts what the platform has now. */
export async function assertToolWorks(needs: Needs, integration: HealthRule, functionUrl: string): Promise<void> {
  const tried = await tryHealthTool(needs, integration, functionUrl)
  const { outcome, cause } = tried ? judgeTry(tried) : {}
  if (outcome === 'broken') throw new DependencyError('function_failed', { detail: cause ?? '' })
}
