// The onboarding program, which kills itself (SIGKILL: no handler runs, nothing is flushed) at the point in CRASH_AT.
import '../../../src/kit/process/quiet-libraries.ts'
import { countVisits, crashing } from './crashing.ts'

void start(countVisits(process.env.CRASH_AT ?? ''))

async function start(isDue: (point: string) => boolean) {
  // Not by static imports, for the reason in src/onboarding/main.ts.
  const { openWorld } = await import('../../../src/onboarding/compose.ts')
  const { runOnboarding } = await import('../../../src/onboarding/program.ts')
  return runOnboarding((config) => {
    const world = openWorld(config)
    const ports = crashing(world, (name) => {
      if (isDue(name)) process.kill(process.pid, 'SIGKILL')
    })
    return { ...world, ...ports }
  })
}
