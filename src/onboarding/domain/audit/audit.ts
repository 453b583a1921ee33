export type Snapshot = Record<string, string | number | boolean | string[] | null>

export const actorKinds = ['browser', 'api_key', 'worker', 'operator', 'support'] as const

export type Actor = {
  kind: (typeof actorKinds)[number]
  id?: string | undefined
  /** Display name, if it is not the identity: an email address can get a new owner. */
  name?: string | undefined
  requestId?: string | undefined
  address?: string | undefined
}

export const peopleKinds = ['operator', 'support'] as const satisfies Array<Actor['kind']>

export const worker: Actor = { kind: 'worker' }
