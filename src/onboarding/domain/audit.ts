/** One line of the record of who did what. It is written in the same transaction as the change it tells of. */
export type AuditEntry = {
  action: string
  actor: Actor
  tenant?: string | undefined
  link?: string | undefined
  connection?: string | undefined
  reason?: string | undefined
  /** The thing before and after the change, without secrets. */
  before?: Snapshot | undefined
  after?: Snapshot | undefined
}

export type Snapshot = Record<string, string | number | boolean | string[] | null>

export type Actor = {
  kind: 'browser' | 'api_key' | 'worker' | 'operator' | 'support'
  id?: string | undefined
  /** What they are called, where that is not who they are: an e-mail address may be somebody else's tomorrow. */
  name?: string | undefined
  requestId?: string | undefined
  address?: string | undefined
}

/** People of the deployment. Servers of tenants act by API key, and may act so often that people are lost among them. */
export const peopleKinds = ['operator', 'support'] as const satisfies Array<Actor['kind']>

export const worker: Actor = { kind: 'worker' }
