import { DependencyError } from '../../domain/dependency-error.ts'
import type { Link } from '../../domain/link.ts'
import type { Platform, Provisioning } from '../../domain/ports/platform.ts'

/**
 * One that the platform could not start stays so, whatever was mended since, until it is put again. That is done here,
 * before the next try: so a link goes on by itself, and one that is resumed begins with it. What the platform says about
 * it goes into the record.
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

/** Each restart is an event of the function, and it keeps a few of them. */
const triesPerRestart = 3
