import { DependencyError } from '../../domain/dependency-error.ts'
import { judgeTry, type ToolTry } from '../../domain/health/health.ts'
import type { Integration } from '../../domain/integration.ts'
import type { Link } from '../../domain/link.ts'
import type { Provisioning } from '../../domain/ports/platform.ts'
import type { Ports } from '../../domain/ports/ports.ts'

/** The platform does not restart a failed function, so it is put again before the next attempt. */
export async function verifyFunction(
  { platform }: Pick<Ports, 'platform'>,
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

/** Each restart is an event of the function, and the platform stores only a few. */
const triesPerRestart = 3

type HealthRule = Pick<Integration, 'health' | 'tools' | 'scopes'>

export async function tryHealthTool(
  { platform }: Pick<Ports, 'platform'>,
  integration: HealthRule,
  at: Pick<Provisioning, 'workspace'> & { functionUrl: string },
): Promise<ToolTry | undefined> {
  const { health } = integration
  if (health.tool === undefined || !isToolRequested(integration, health.tool)) return undefined
  return platform.tryTool(at, { name: health.tool, arguments: health.arguments ?? {} })
}

/** A tenant may have chosen scopes that the tool does not work with. */
function isToolRequested({ tools, scopes }: HealthRule, name: string): boolean {
  const needed = tools.find((tool) => tool.name === name)?.scopes ?? []
  return needed.every((scope) => scopes.some((requested) => requested.name === scope))
}

export async function assertToolWorks(
  ports: Ports,
  integration: HealthRule,
  at: Pick<Provisioning, 'workspace'> & { functionUrl: string },
): Promise<void> {
  const tried = await tryHealthTool(ports, integration, at)
  const { outcome, cause } = tried ? judgeTry(tried) : {}
  if (cause === 'client_rejected') throw new DependencyError(cause, { detail: 'verification' })
  if (outcome === 'broken') throw new DependencyError('function_failed', { detail: cause ?? '' })
}
