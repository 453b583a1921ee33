// Carries the erasure of a user through its steps. Each step can be repeated, and any process can do the next one.
import type { Cause } from '../../domain/cause.ts'
import {
  type Erasure,
  type ErasureStep,
  isOpenErasure,
  longestErasureNotifySeconds,
  type OpenErasure,
} from '../../domain/end-users/erasure.ts'
import type { Erasures } from '../../domain/ports/erasures.ts'
import { erasedEvent } from '../../domain/tenant-event.ts'
import { disconnectOnce, type EndingNeeds, type EndingSettings, letLinkEnd } from './end-what-is-open.ts'

export type ErasureNeeds = EndingNeeds & { erasures: Erasures }

export type ErasureSettings = EndingSettings

/** The erasure at its next step, or what it has to wait for. `lost`: another worker has it now. */
type Outcome = { next: Erasure } | { wait: Cause | undefined } | 'lost'

type Work = (needs: ErasureNeeds, settings: ErasureSettings, erasure: OpenErasure) => Promise<Outcome>

/** The longer a step takes, the more seldom it is looked at: a provider or a platform may be away for days. */
const waitSeconds = ({ stepAgeSeconds }: Erasure) => Math.min(Math.max(stepAgeSeconds / 10, 2), 60 * 60)

const batch = 50

const works: Record<Exclude<ErasureStep, 'done'>, Work> = {
  async ending_links(needs, settings, erasure) {
    await needs.erasures.closeSessions(erasure)
    const open = await needs.erasures.openLinks(erasure, batch)
    for (const link of open) await letLinkEnd(needs, settings, erasure, link)
    const [waiting] = open.length > 0 ? await needs.erasures.openLinks(erasure, batch) : []
    return waiting ? { wait: waiting.cause } : moved(await needs.erasures.move(erasure, 'disconnecting'))
  },
  async disconnecting(needs, settings, erasure) {
    const open = await needs.erasures.openConnections(erasure, batch)
    const request = { actor: erasure.actor, following: 'erasure' as const }
    for (const connectionId of open) await disconnectOnce(needs, settings, { connectionId, ...request })
    if (open.length > 0) return { wait: await needs.erasures.blockingCause(erasure) }
    return moved(await needs.erasures.move(erasure, 'notifying'))
  },
  async notifying({ erasures }, _settings, erasure) {
    const isWaiting = erasure.stepAgeSeconds < longestErasureNotifySeconds
    if (isWaiting && (await erasures.hasUnsentMessages(erasure))) return { wait: undefined }
    return moved(await erasures.move(erasure, 'erasing'))
  },
  async erasing({ erasures, tokens }, _settings, erasure) {
    const { id, tenant, actor } = erasure
    const event = { id: tokens.id('evt'), ...erasedEvent(id) }
    const subject = { kind: 'erasure' as const, id }
    const finished = await erasures.finish(erasure, event, { action: 'end_user.erased', actor, subject, tenant })
    // Something of theirs began meanwhile: everything is gone through once more.
    return moved(finished === 'open' ? await erasures.move(erasure, 'ending_links') : finished)
  },
}

const moved = (next: Erasure | undefined): Outcome => (next ? { next } : 'lost')

export const workOnErasure =
  (needs: ErasureNeeds, settings: ErasureSettings) =>
  async (erasure: OpenErasure): Promise<void> => {
    for (let at: Erasure = erasure; isOpenErasure(at) && at.step !== 'done'; ) {
      const outcome: Outcome = await works[at.step](needs, settings, at)
      if (outcome === 'lost') return
      if ('wait' in outcome) return needs.erasures.postpone(at, waitSeconds(at), outcome.wait)
      at = outcome.next
    }
  }

/** Takes up erasures whose time has come, whoever left them. One that fails does not keep the others. */
export const resumeErasures = (needs: ErasureNeeds, settings: ErasureSettings) => async (): Promise<number> => {
  const due = await needs.erasures.claimDue(10)
  const resumed = await Promise.allSettled(due.map((erasure) => workOnErasure(needs, settings)(erasure)))
  const broken = resumed.find(({ status }) => status === 'rejected')
  if (broken) throw (broken as PromiseRejectedResult).reason // its lease expires, and it is claimed again
  return due.length
}
