import { rateLimit } from '../../../kit/rates/rate-limit.ts'
import { pathFromRoot, type Trigger } from '../domain/callback.ts'
import { Failure } from '../domain/failure.ts'

const maxPerMinute = 600

type PublicWorkload = { id: string; triggers: readonly Trigger[] }

type Asked = { type?: 'http' | 'http-async'; path: string }

/** Workloads that accept requests without a credential, at paths of triggers with `authenticationType: public`. */
export function publicTriggers(now: () => Date) {
  const limit = rateLimit({ count: maxPerMinute, perSeconds: 60, now })
  return {
    /** Throws `refusal` unless it is about a missing credential and one of the triggers is public. */
    async assertPublic(refusal: unknown, findWorkload: () => Promise<PublicWorkload | undefined>, asked: Asked) {
      if (!(refusal instanceof Failure) || refusal.code !== 'credential_missing') throw refusal
      const found = await findWorkload()
      if (!found || !isPublic(found.triggers, asked)) throw refusal
      const retryAfterSeconds = limit.take(found.id)
      if (retryAfterSeconds === undefined) return
      throw new Failure('too_many_requests', `A public trigger accepts ${maxPerMinute} requests a minute.`, {
        retryAfterSeconds,
      })
    },
  }
}

/**
 * A trigger without a path is public at every path, but only if none is private: a workload may read an encoded path as
 * the path of the private one.
 */
function isPublic(triggers: readonly Trigger[], { type, path }: Asked): boolean {
  const ofType = triggers
    .filter((each) => each.enabled && each.type === (type ?? each.type))
    .map(({ configuration }) => configuration)
  const exact = ofType.filter((each) => each.path !== undefined && pathFromRoot(each.path) === path)
  const deciding = exact.length > 0 ? exact : ofType
  const covers = exact.length > 0 || ofType.some((each) => each.path === undefined)
  return covers && deciding.every(({ authenticationType }) => authenticationType === 'public')
}
