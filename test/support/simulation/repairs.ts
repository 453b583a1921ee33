// What happens to a connection later: it is re-linked, rolled back or disconnected.
import { disconnect } from '../../../src/onboarding/connections/flows/disconnect.ts'
import { rollback } from '../../../src/onboarding/connections/flows/rollback.ts'
import { byKey } from '../memory/world.ts'
import { takeJourney } from './journey.ts'
import type { Stage } from './simulate.ts'

const maxRepairs = 3

/** One user: links an account, and later some of the rest. */
export async function live(stage: Stage, userId: string): Promise<void> {
  const { scheduler, world } = stage
  await takeJourney(stage, { userId })
  for (let repairs = 0; repairs < maxRepairs && scheduler.chance(0.5); repairs++) {
    await scheduler.wait(stage.outside, 'is back', scheduler.between(1, 300))
    const own = [...world.tables.connections.values()].filter(({ endUserId }) => endUserId === userId)
    const connection = own.length > 0 ? scheduler.pick(own).id : undefined
    const chosen = scheduler.pick(['relink', 'relink', 'rollback', 'disconnect', 'link'] as const)
    if (chosen === 'link') await takeJourney(stage, { userId })
    else if (chosen === 'relink') await takeJourney(stage, { userId, connection })
    else if (connection) await operate(stage, { rollback, disconnect }[chosen], connection)
  }
}

async function operate(stage: Stage, act: typeof rollback | typeof disconnect, connectionId: string): Promise<void> {
  const input = { tenant: undefined, testMode: false, connectionId, actor: byKey, reason: 'asked for' }
  await stage.ask((process) => act(process.ports, stage.world.settings, input))
}
