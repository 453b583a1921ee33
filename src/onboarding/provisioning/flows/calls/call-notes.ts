// What a link calls outside is noted while it is called, and written with the link's next move or retry: it costs no
// statement of its own. What a worker that died had not written yet is not known.
import type { Link } from '../../../domain/link.ts'
import type { Platform, Provisioning } from '../../../domain/ports/platform.ts'
import type { CallObserver, Provider } from '../../../domain/ports/provider.ts'
import type { Links } from '../../../domain/ports/provisioning.ts'
import { isTestTenant } from '../../../domain/test-mode/test-mode.ts'
import type { OutsideCall } from '../../../domain/trace/outside-call.ts'

type CallPorts = { links: Links; provider: Provider; platform: Platform }

export type CallNotes = {
  /** The same needs, where every call outside is noted and part of the link's trace, and every move writes what was noted. */
  over<Needs extends CallPorts>(needs: Needs): Needs
}

/** In test mode no other server is called. */
export const callNotes = (link: Link): CallNotes =>
  isTestTenant(link.tenant) ? { over: (needs) => needs } : notes(link)

function notes(link: Link): CallNotes {
  const made: OutsideCall[] = []
  let { attempts } = link
  const observer: CallObserver = {
    note: ({ call, at, status, error, durationMs }) =>
      void made.push({ call, at, status, error, durationMs, attempt: attempts + 1 }),
    traceparent: link.traceparent,
  }
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
      provider: observedProvider(needs.provider, observer),
      platform: observedPlatform(needs.platform, observer),
      links: {
        ...needs.links,
        move: (at, to, changes, audit) =>
          written((calls) => needs.links.move(at, to, calls ? { ...changes, calls } : changes, audit)),
        postpone: (at, delaySeconds, cause) => written((calls) => needs.links.postpone(at, delaySeconds, cause, calls)),
      },
    }),
  }
}

const observedProvider = (provider: Provider, { note, traceparent }: CallObserver): Provider => {
  const observed = <Request extends object>(request: Request) => ({ ...request, note, traceparent })
  return {
    ...provider,
    exchange: (request) => provider.exchange(observed(request)),
    reread: (request, raw) => provider.reread(observed(request), raw),
    refresh: (request) => provider.refresh(observed(request)),
    describeRefresh: (request, trialRefresh) => provider.describeRefresh(observed(request), trialRefresh),
    revoke: (request, ...rest) => provider.revoke(observed(request), ...rest),
  }
}

const observedPlatform = (platform: Platform, observer: CallObserver): Platform => {
  const { note, traceparent } = observer
  // Each member by its name: a link stands for them often, and to add two to a copy of all it has takes long.
  const observed = ({ workspace, integration, connectionId, connectionName, functionName }: Provisioning) => ({
    workspace,
    integration,
    connectionId,
    connectionName,
    functionName,
    note,
    traceparent,
  })
  return {
    ...platform,
    createConnection: (at, grant) => platform.createConnection(observed(at), grant),
    createFunction: (at) => platform.createFunction(observed(at)),
    verifyFunction: (at) => platform.verifyFunction({ ...observed(at), functionUrl: at.functionUrl }),
    replaceConnection: (at, grant) => platform.replaceConnection(observed(at), grant),
    pointFunction: (at) => platform.pointFunction(observed(at)),
    restartFunction: (at, options) => platform.restartFunction(observed(at), options),
    deleteFunction: (at) => platform.deleteFunction(observed(at)),
    deleteConnection: (at) => platform.deleteConnection(observed(at)),
    tryTool: (functionUrl, tool) => platform.tryTool(functionUrl, tool, { traceparent }),
  }
}
