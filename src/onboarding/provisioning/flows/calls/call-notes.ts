// What a link calls outside is noted while it is called, and written with the link's next move or retry: it costs no
// statement of its own. What a worker that died had not written yet is not known.
import type { Link } from '../../../domain/link.ts'
import type { Platform } from '../../../domain/ports/platform.ts'
import type { Provider } from '../../../domain/ports/provider.ts'
import type { Links } from '../../../domain/ports/provisioning.ts'
import { isTestTenant } from '../../../domain/test-mode/test-mode.ts'
import type { NoteCall, OutsideCall } from '../../../domain/trace/outside-call.ts'

type CallPorts = { links: Links; provider: Provider; platform: Platform }

export type CallNotes = {
  /** The same needs, where every call outside is noted and every move writes what was noted. */
  over<Needs extends CallPorts>(needs: Needs): Needs
}

/** In test mode no other server is called. */
export const callNotes = (link: Link): CallNotes =>
  isTestTenant(link.tenant) ? { over: (needs) => needs } : notes(link)

function notes(link: Link): CallNotes {
  const made: OutsideCall[] = []
  let { attempts } = link
  const note: NoteCall = (call) => void made.push({ ...call, attempt: attempts + 1 })
  /** A write that failed is made again: only what is surely written is let go. */
  const written = async (write: (calls: OutsideCall[] | undefined) => Promise<Link | undefined>) => {
    const calls = [...made]
    const moved = await write(calls.length > 0 ? calls : undefined)
    if (moved) {
      made.splice(0, calls.length)
      attempts = moved.attempts
    }
    return moved
  }
  return {
    over: (needs) => ({
      ...needs,
      provider: notingProvider(needs.provider, note),
      platform: notingPlatform(needs.platform, note),
      links: {
        ...needs.links,
        move: (at, to, changes, audit) =>
          written((calls) => needs.links.move(at, to, calls ? { ...changes, calls } : changes, audit)),
        postpone: (at, delaySeconds, cause) => written((calls) => needs.links.postpone(at, delaySeconds, cause, calls)),
      },
    }),
  }
}

const notingProvider = (provider: Provider, note: NoteCall): Provider => ({
  ...provider,
  exchange: (request) => provider.exchange({ ...request, note }),
  reread: (request, raw) => provider.reread({ ...request, note }, raw),
  refresh: (request) => provider.refresh({ ...request, note }),
  describeRefresh: (request, trialRefresh) => provider.describeRefresh({ ...request, note }, trialRefresh),
  revoke: (request, ...rest) => provider.revoke({ ...request, note }, ...rest),
})

const notingPlatform = (platform: Platform, note: NoteCall): Platform => ({
  ...platform,
  createConnection: (at, grant) => platform.createConnection({ ...at, note }, grant),
  createFunction: (at) => platform.createFunction({ ...at, note }),
  verifyFunction: (at) => platform.verifyFunction({ ...at, note }),
  replaceConnection: (at, grant) => platform.replaceConnection({ ...at, note }, grant),
  pointFunction: (at) => platform.pointFunction({ ...at, note }),
  restartFunction: (at, options) => platform.restartFunction({ ...at, note }, options),
  deleteFunction: (at) => platform.deleteFunction({ ...at, note }),
  deleteConnection: (at) => platform.deleteConnection({ ...at, note }),
})
