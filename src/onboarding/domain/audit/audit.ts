// Who acts, and what the audit keeps of a thing. What an entry says is in audit-entry.ts.

/** A thing before or after a change, without secrets. */
export type Snapshot = Record<string, string | number | boolean | string[] | null>

export const actorKinds = ['browser', 'api_key', 'worker', 'operator', 'support'] as const

export type Actor = {
  kind: (typeof actorKinds)[number]
  id?: string | undefined
  /** What they are called, where that is not who they are: an email address may be somebody else's tomorrow. */
  name?: string | undefined
  requestId?: string | undefined
  address?: string | undefined
}

/** People of the deployment. Servers of tenants act by API key, and may act so often that people are lost among them. */
export const peopleKinds = ['operator', 'support'] as const satisfies Array<Actor['kind']>

export const worker: Actor = { kind: 'worker' }
