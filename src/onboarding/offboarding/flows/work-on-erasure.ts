import {
  type Erasure,
  type ErasureStep,
  isOpenErasure,
  maxErasureNotifySeconds,
  type OpenErasure,
} from '../../domain/offboarding/erasure.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import { erasedEvent } from '../../domain/tenant-event.ts'
import { disconnectOnce, letLinkEnd } from './end-what-is-open.ts'
import { movedTo, resumeDue, type StepOutcome, type SteppedWork, waiting, workThrough } from './stepped-work.ts'

type Work = (ports: Ports, settings: Settings, erasure: OpenErasure) => Promise<StepOutcome<Erasure>>

const batch = 50

const works: Record<Exclude<ErasureStep, 'done'>, Work> = {
  async ending_links(ports, settings, erasure) {
    await ports.erasures.closeSessions(erasure)
    const open = await ports.erasures.openLinks(erasure, batch)
    for (const link of open) await letLinkEnd(ports, settings, erasure, link)
    const [remaining] = open.length > 0 ? await ports.erasures.openLinks(erasure, batch) : []
    return remaining ? { wait: remaining.cause } : movedTo(await ports.erasures.move(erasure, 'disconnecting'))
  },
  async disconnecting(ports, settings, erasure) {
    const open = await ports.erasures.openConnections(erasure, batch)
    const request = { actor: erasure.actor, following: 'erasure' as const }
    for (const connectionId of open) await disconnectOnce(ports, settings, { connectionId, ...request })
    if (open.length > 0) return { wait: await ports.erasures.blockingCause(erasure) }
    return movedTo(await ports.erasures.move(erasure, 'notifying'))
  },
  async notifying({ erasures }, _settings, erasure) {
    const isWaiting = erasure.stepAgeSeconds < maxErasureNotifySeconds
    if (isWaiting && (await erasures.hasUnsentMessages(erasure))) return waiting
    return movedTo(await erasures.move(erasure, 'erasing'))
  },
  async erasing({ erasures, tokens }, _settings, erasure) {
    const { id, tenant, actor } = erasure
    const event = { id: tokens.id('evt'), ...erasedEvent(id) }
    const subject = { kind: 'erasure' as const, id }
    const finished = await erasures.finish(erasure, event, { action: 'end_user.erased', actor, subject, tenant })
    // Something was started for the user, so repeat all steps.
    return movedTo(finished === 'open' ? await erasures.move(erasure, 'ending_links') : finished)
  },
}

const steps = (ports: Ports, settings: Settings): SteppedWork<Erasure> => ({
  takeStep: (at) => (isOpenErasure(at) && at.step !== 'done' ? works[at.step](ports, settings, at) : undefined),
  postpone: (at, seconds, cause) => ports.erasures.postpone(at, seconds, cause),
  claimDue: (limit) => ports.erasures.claimDue(limit),
  minWaitSeconds: 2,
})

export const workOnErasure = (ports: Ports, settings: Settings, erasure: Erasure) =>
  workThrough(steps(ports, settings), erasure)

export const resumeErasures = (ports: Ports, settings: Settings) => resumeDue(steps(ports, settings))
