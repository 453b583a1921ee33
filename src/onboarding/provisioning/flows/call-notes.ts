// Notes are written with the link's next move or retry. Notes of a worker that died are lost.
import type { Link } from '../../domain/link.ts'
import { intercept } from '../../domain/ports/intercept.ts'
import { type Platform, platformMethods } from '../../domain/ports/platform.ts'
import { type CallObserver, type Provider, providerMethods } from '../../domain/ports/provider.ts'
import type { Links } from '../../domain/ports/provisioning.ts'
import { isTestTenant } from '../../domain/test-mode/test-mode.ts'
import type { OutsideCall } from '../../domain/trace/outside-call.ts'

type CallPorts = { links: Links; provider: Provider; platform: Platform }

export type CallNotes = {
  over<Needs extends CallPorts>(needs: Needs): Needs
}

export const callNotes = (link: Link): CallNotes =>
  isTestTenant(link.tenant) ? { over: (needs) => needs } : notes(link)

/** `reread` and `describeRefresh` may ask the provider's userinfo endpoint. */
const notedMethods = [...providerMethods, 'reread', 'describeRefresh'] as const

function notes(link: Link): CallNotes {
  const made: OutsideCall[] = []
  let { attempts } = link
  const observer: CallObserver = {
    note: ({ call, at, status, error, durationMs }) =>
      void made.push({ call, at, status, error, durationMs, attempt: attempts + 1 }),
    traceparent: link.traceparent,
  }
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
      provider: intercept(needs.provider, notedMethods, ({ args: [request, ...rest] }, next) =>
        next({ ...request, ...observer }, ...rest),
      ),
      platform: intercept(needs.platform, platformMethods, ({ args: [at, ...rest] }, next) =>
        next({ ...at, ...observer }, ...rest),
      ),
      links: {
        ...needs.links,
        move: (at, to, changes, audit) =>
          written((calls) => needs.links.move(at, to, calls ? { ...changes, calls } : changes, audit)),
        postpone: (at, delaySeconds, cause) => written((calls) => needs.links.postpone(at, delaySeconds, cause, calls)),
      },
    }),
  }
}
