// Carries the erasure of a user through its steps. Each step can be repeated, and any process can do the next one.
import {
  type Erasure,
  type ErasureStep,
  isOpenErasure,
  longestErasureNotifySeconds,
  type OpenErasure,
} from '../../domain/offboarding/erasure.ts'
import type { Erasures } from '../../domain/ports/erasures.ts'
import { erasedEvent } from '../../domain/tenant-event.ts'
import { disconnectOnce, type EndingNeeds, type EndingSettings, letLinkEnd } from './end-what-is-open.ts'
import { movedTo, resumeDue, type StepOutcome, type SteppedWork, waiting, workThrough } from './stepped-work.ts'

export type ErasureNeeds = EndingNeeds & { erasures: Erasures }

export type ErasureSettings = EndingSettings

type Work = (needs: ErasureNeeds, settings: ErasureSettings, erasure: OpenErasure) => Promise<StepOutcome<Erasure>>

const batch = 50

const works: Record<Exclude<ErasureStep, 'done'>, Work> = {
  async ending_links(needs, settings, erasure) {
    await needs.erasures.closeSessions(erasure)
    const open = await needs.erasures.openLinks(erasure, batch)
    for (const link of open) await letLinkEnd(needs, settings, erasure, link)
    const [remaining] = open.length > 0 ? await needs.erasures.openLinks(erasure, batch) : []
    return remaining ? { wait: remaining.cause } : movedTo(await needs.erasures.move(erasure, 'disconnecting'))
  },
  async disconnecting(needs, settings, erasure) {
    const open = await needs.erasures.openConnections(erasure, batch)
    const request = { actor: erasure.actor, following: 'erasure' as const }
    for (const connectionId of open) await disconnectOnce(needs, settings, { connectionId, ...request })
    if (open.length > 0) return { wait: await needs.erasures.blockingCause(erasure) }
    return movedTo(await needs.erasures.move(erasure, 'notifying'))
  },
  async notifying({ erasures }, _settings, erasure) {
    const isWaiting = erasure.stepAgeSeconds < longestErasureNotifySeconds
    if (isWaiting && (await erasures.hasUnsentMessages(erasure))) return waiting
    return movedTo(await erasures.move(erasure, 'erasing'))
  },
  async erasing({ erasures, tokens }, _settings, erasure) {
    const { id, tenant, actor } = erasure
    const event = { id: tokens.id('evt'), ...erasedEvent(id) }
    const subject = { kind: 'erasure' as const, id }
    const finished = await erasures.finish(erasure, event, { action: 'end_user.erased', actor, subject, tenant })
    // Something of theirs began meanwhile: everything is gone through once more.
    return movedTo(finished === 'open' ? await erasures.move(erasure, 'ending_links') : finished)
  },
}

const steps = (needs: ErasureNeeds, settings: ErasureSettings): SteppedWork<Erasure> => ({
  takeStep: (at) => (isOpenErasure(at) && at.step !== 'done' ? works[at.step](needs, settings, at) : undefined),
  postpone: (at, seconds, cause) => needs.erasures.postpone(at, seconds, cause),
  claimDue: (limit) => needs.erasures.claimDue(limit),
  shortestWaitSeconds: 2,
})

export const workOnErasure = (needs: ErasureNeeds, settings: ErasureSettings) => workThrough(steps(needs, settings))

export const resumeErasures = (needs: ErasureNeeds, settings: ErasureSettings) => resumeDue(steps(needs, settings))
